#include "host/graph_page/node_costs.hpp"

#include <chrono>
#include <cmath>
#include <map>
#include <string>

namespace popscope::host {

namespace {

struct Cost {
  std::uint64_t cycles = 0;
  std::uint64_t bytes = 0;
};

// The entry of the longest name that is `name` or the beginning of it before a
// '/'; null if there is none.
const std::size_t *find(const std::map<std::string, std::size_t> &nodes,
                        std::string name) {
  while (true) {
    const auto found = nodes.find(name);
    if (found != nodes.end())
      return &found->second;
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos)
      return nullptr;
    name.resize(slash);
  }
}

std::vector<Cost> costsOf(const std::vector<DrawnNode> &nodes,
                          const CostEstimates &estimates) {
  std::map<std::string, std::size_t> programs, tensors;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::string &name : nodes[i].programs)
      programs.emplace(name, i);
    for (const std::string &name : nodes[i].tensors)
      tensors.emplace(name, i);
  }
  std::vector<Cost> costs(nodes.size());
  for (const auto &[name, cycles] : estimates.cycles)
    if (const std::size_t *node = find(programs, name))
      costs[*node].cycles += cycles;
  for (const auto &[name, bytes] : estimates.bytes)
    if (const std::size_t *node = find(tensors, name))
      costs[*node].bytes += bytes;
  return costs;
}

} // namespace

summary::RunProfile addCosts(const CostEstimates &estimates,
                             unsigned batchesPerUpdate,
                             std::vector<DrawnNode> &nodes) {
  const std::vector<Cost> costs = costsOf(nodes, estimates);
  std::map<std::string, std::chrono::microseconds> now; // by device
  summary::RunProfile profile;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    DrawnNode &drawn = nodes[i];
    const double executions =
        kProfiledBatches /
        double(drawn.runs == Runs::everyUpdate ? batchesPerUpdate : 1);
    const double seconds =
        double(costs[i].cycles) * executions / estimates.cyclesPerSecond;
    summary::NodeCost cost;
    cost.node = drawn.node.name;
    cost.device = drawn.node.device;
    cost.start = now[cost.device];
    cost.duration = std::chrono::microseconds(std::llround(seconds * 1e6));
    cost.bytes = std::int64_t(costs[i].bytes);
    cost.outputShapes = drawn.node.outputShapes;
    if (cost.outputShapes.empty())
      cost.outputShapes.emplace_back();
    now[cost.device] += cost.duration;
    if (costs[i].cycles > 0)
      drawn.node.attributes.emplace_back("estimated_cycles",
                                         std::int64_t(costs[i].cycles));
    if (costs[i].bytes > 0)
      drawn.node.attributes.emplace_back("estimated_bytes", cost.bytes);
    profile.nodes.push_back(std::move(cost));
  }
  return profile;
}

} // namespace popscope::host
