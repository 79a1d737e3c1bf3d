#include "host/command.hpp"
#include "host/plan/options/device.hpp"
#include "tests/support/scoped_env.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace popscope::host {
namespace {

TEST(Device, TheTargetOfAllInstancesHasTheOptionsOfOne) {
  const poplar::OptionFlags options{{"gatewayMode", "true"}};
  const poplar::Target all =
      targetOfAll(poplar::Target::createIPUTarget(2, 64, "ipu2", options), 4);
  EXPECT_EQ(all.getTargetType(), poplar::TargetType::IPU);
  EXPECT_EQ(all.getNumIPUs(), 8u);
  EXPECT_EQ(all.getTilesPerIPU(), 64u);
  std::map<std::string, std::string> kept;
  for (const auto &[option, value] : all.getTargetOptions())
    kept[option] = value;
  EXPECT_EQ(kept["gatewayMode"], "true");
}

// The first of two instances with two replicas each.
struct FirstOfTwo {
  ScopedEnv total{"POPDIST_NUM_TOTAL_REPLICAS", "4"};
  ScopedEnv local{"POPDIST_NUM_LOCAL_REPLICAS", "2"};
};
constexpr unsigned kInstances = 2;
const DeviceNeeds kNeeds{2, 32, true};

TEST(Device, InstancesCompileForTheIpusOfAll) {
  const FirstOfTwo instance;
  for (const char *seen : {"2", "0"}) { // 0: offline
    const ScopedEnv devices("IPUMODEL_DEVICES", seen);
    for (const DeviceChoice choice :
         {DeviceChoice::automatic, DeviceChoice::ipu}) {
      const poplar::Target target = chooseTarget(choice, kNeeds, kInstances);
      EXPECT_EQ(target.getTargetType(), poplar::TargetType::IPU) << seen;
      EXPECT_EQ(target.getNumIPUs(), 4u) << seen;
      EXPECT_EQ(target.getTilesPerIPU(), 32u) << seen;
    }
    const poplar::Target model =
        chooseTarget(DeviceChoice::model, kNeeds, kInstances);
    EXPECT_EQ(model.getTargetType(), poplar::TargetType::IPU_MODEL) << seen;
    EXPECT_EQ(model.getNumIPUs(), 4u) << seen;
  }
}

TEST(Device, WithoutInstancesAndIpusItIsTheModel) {
  const ScopedEnv devices("IPUMODEL_DEVICES", "0");
  const poplar::Target target =
      chooseTarget(DeviceChoice::automatic, {2, {}, false}, 1);
  EXPECT_EQ(target.getTargetType(), poplar::TargetType::IPU_MODEL);
  EXPECT_THROW(chooseTarget(DeviceChoice::ipu, {2, {}, false}, 1), BadInput);
}

} // namespace
} // namespace popscope::host
