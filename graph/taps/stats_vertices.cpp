#include "graph/taps/stats_vertices.hpp"

#include <stdexcept>

namespace popscope::graph {

namespace {

constexpr StatsTier kTiers[] = {StatsTier::alarm, StatsTier::stats,
                                StatsTier::shape, StatsTier::identity};

const char *nameOf(StatsTier tier) {
  switch (tier) {
  case StatsTier::alarm:
    return "popscope::StatsTier::alarm";
  case StatsTier::stats:
    return "popscope::StatsTier::stats";
  case StatsTier::shape:
    return "popscope::StatsTier::shape";
  case StatsTier::identity:
    break;
  }
  return "popscope::StatsTier::identity";
}

std::string codeletName(const poplar::Type &type) {
  if (type == poplar::FLOAT)
    return "float";
  if (type == poplar::HALF)
    return "half";
  if (type == poplar::INT)
    return "int";
  if (type == poplar::UNSIGNED_INT)
    return "unsigned int";
  throw std::invalid_argument("[graph] tensors of type " +
                              std::string(type.toString()) +
                              " cannot be summarised; cast them to float");
}

std::size_t cyclesPerElement(StatsTier tier) {
  switch (tier) {
  case StatsTier::alarm:
    return 3;
  case StatsTier::stats:
    return 12;
  case StatsTier::shape:
    return 26;
  case StatsTier::identity:
    break;
  }
  return 46;
}

// To join the lanes and merge the row.
constexpr std::size_t kCyclesPerRegion = 200;
constexpr std::size_t kCyclesPerHistogramElement = 9;

std::size_t elementsOf(const poplar::FieldData &regions) {
  std::size_t elements = 0;
  for (std::size_t r = 0; r < regions.size(); ++r)
    elements += regions[r].size();
  return elements;
}

} // namespace

void requireSummarisable(const poplar::Type &type) { codeletName(type); }

std::string tileStatsVertex(const poplar::Type &type, StatsTier tier) {
  return "popscope::TileStats<" + codeletName(type) + "," + nameOf(tier) + ">";
}

std::string tileHistogramVertex(const poplar::Type &type) {
  return "popscope::TileHistogram<" + codeletName(type) + ">";
}

std::string mergeRowsVertex(StatsTier tier) {
  return std::string("popscope::MergeRows<") + nameOf(tier) + ">";
}

std::string sumCountsVertex() { return "popscope::SumCounts"; }

std::size_t tileStatsCycles(std::size_t elements, std::size_t regions,
                            StatsTier tier) {
  return elements * cyclesPerElement(tier) + regions * kCyclesPerRegion;
}

void registerStatsEstimators(poplar::Graph &graph) {
  using poplar::VertexPerfEstimate;
  for (const poplar::Type &type :
       {poplar::FLOAT, poplar::HALF, poplar::INT, poplar::UNSIGNED_INT}) {
    for (const StatsTier tier : kTiers)
      graph.registerPerfEstimator(
          tileStatsVertex(type, tier),
          [tier](const poplar::VertexIntrospector &vertex,
                 const poplar::Target &) {
            const auto regions = vertex.getFieldInfo("regions");
            return VertexPerfEstimate(
                tileStatsCycles(elementsOf(regions), regions.size(), tier));
          });
    graph.registerPerfEstimator(
        tileHistogramVertex(type),
        [](const poplar::VertexIntrospector &vertex, const poplar::Target &) {
          return VertexPerfEstimate(elementsOf(vertex.getFieldInfo("regions")) *
                                    kCyclesPerHistogramElement);
        });
  }
  for (const StatsTier tier : kTiers)
    graph.registerPerfEstimator(
        mergeRowsVertex(tier),
        [](const poplar::VertexIntrospector &vertex, const poplar::Target &) {
          return VertexPerfEstimate(4 * vertex.getFieldInfo("rows").size());
        });
  graph.registerPerfEstimator(
      sumCountsVertex(),
      [](const poplar::VertexIntrospector &vertex, const poplar::Target &) {
        return VertexPerfEstimate(3 * vertex.getFieldInfo("rows").size());
      });
}

} // namespace popscope::graph
