#include "summary/values/run_profile.hpp"

#include "summary/encoding/serialize.hpp"
#include "summary/encoding/utf8.hpp"
#include "summary/proto/graph.pb.h"

#include <map>

namespace popscope::summary {
namespace {

void setNode(proto::NodeExecStats &stats, const NodeCost &cost) {
  stats.set_node_name(toUtf8(cost.node));
  stats.set_all_start_micros(cost.start.count());
  stats.set_op_end_rel_micros(cost.duration.count());
  stats.set_all_end_rel_micros(cost.duration.count());
  if (cost.bytes != 0) {
    auto *memory = stats.add_memory();
    memory->set_allocator_name(toUtf8(cost.device));
    memory->set_total_bytes(cost.bytes);
    memory->set_peak_bytes(cost.bytes);
  }
  for (std::size_t slot = 0; slot < cost.outputShapes.size(); ++slot) {
    auto *output = stats.add_output();
    output->set_slot(static_cast<std::int32_t>(slot));
    auto *shape = output->mutable_tensor_description()->mutable_shape();
    for (const std::int64_t size : cost.outputShapes[slot])
      shape->add_dim()->set_size(size);
  }
}

} // namespace

std::string toRunMetadata(const RunProfile &profile) {
  proto::RunMetadata message;
  std::map<std::string, proto::DeviceStepStats *> devices;
  for (const NodeCost &cost : profile.nodes) {
    auto *&device = devices[cost.device];
    if (device == nullptr) {
      device = message.mutable_step_stats()->add_dev_stats();
      device->set_device(toUtf8(cost.device));
    }
    setNode(*device->add_node_stats(), cost);
  }
  return serialize(message);
}

} // namespace popscope::summary
