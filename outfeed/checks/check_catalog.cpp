#include "outfeed/checks/check_catalog.hpp"

#include "outfeed/checks/kinds/dead_relu.hpp"
#include "outfeed/checks/kinds/depth_trend.hpp"
#include "outfeed/checks/kinds/frozen_weight.hpp"
#include "outfeed/checks/kinds/gradient_noise.hpp"
#include "outfeed/checks/kinds/loss_not_falling.hpp"
#include "outfeed/checks/kinds/replicas_part.hpp"
#include "outfeed/checks/kinds/saturation.hpp"
#include "outfeed/checks/kinds/spike.hpp"
#include "outfeed/checks/kinds/update_ratio.hpp"

namespace popscope::outfeed {

namespace {

template <class T> std::unique_ptr<Check> make() {
  return std::make_unique<T>();
}

constexpr std::unique_ptr<Check> (*kMakers[])() = {
    make<DeadRelu>,     make<Vanishing>,      make<Exploding>,
    make<FrozenWeight>, make<UpdateRatio>,    make<Saturation>,
    make<Spike>,        make<LossNotFalling>, make<ReplicasPart>,
    make<GradientNoise>};

} // namespace

std::vector<std::string> checkNames() {
  std::vector<std::string> names;
  for (const auto &maker : kMakers)
    names.emplace_back(maker()->name());
  return names;
}

std::unique_ptr<Check> makeCheck(const std::string &name) {
  for (const auto &maker : kMakers) {
    std::unique_ptr<Check> check = maker();
    if (name != check->name())
      continue;
    check->setTensors(TensorFilter::parse(check->defaultTensors()));
    return check;
  }
  return nullptr;
}

} // namespace popscope::outfeed
