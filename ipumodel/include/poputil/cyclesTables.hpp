// Tables of estimators, and helpers to write them. An estimator of the codelet
// `Foo` is a function getPerfEstimateForFoo(vertex, target, template
// arguments...).
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Target.hpp>
#include <poplar/VectorLayout.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#define MAKE_PERF_ESTIMATOR_NAME(codelet) getPerfEstimateFor##codelet

// The entry of a codelet of namespace `ns`, without and with template
// arguments.
#define CYCLE_ESTIMATOR_ENTRY_NOPARAMS(ns, codelet)                            \
  poputil::internal::makePerfEstimatorEntry(#ns "::" #codelet,                 \
                                            MAKE_PERF_ESTIMATOR_NAME(codelet))
#define CYCLE_ESTIMATOR_ENTRY(ns, codelet, ...)                                \
  poputil::internal::makePerfEstimatorEntry(                                   \
      #ns "::" #codelet, MAKE_PERF_ESTIMATOR_NAME(codelet), __VA_ARGS__)

// In an estimator: declares a variable of the field's name.
#define CODELET_FIELD(field) const auto field = vertex.getFieldInfo(#field)
#define CODELET_SCALAR_VAL(field, type)                                        \
  const auto field = vertex.getFieldInfo(#field).getInitialValue<type>(target);
#define CODELET_VECTOR_VALS(field, type)                                       \
  const auto field = vertex.getFieldInfo(#field).getInitialValues<type>(target);
#define CODELET_VECTOR_2D_VALS(field, type)                                    \
  const auto field =                                                           \
      vertex.getFieldInfo(#field).getInitialValues<std::vector<type>>(target);

namespace poputil {
namespace internal {

using PerfEstimatorTable =
    std::vector<std::pair<std::string, poplar::PerfEstimateFunc>>;

template <typename F, typename... Args>
inline std::pair<std::string, poplar::PerfEstimateFunc>
makePerfEstimatorEntry(const std::string &codelet, F f, Args &&...args) {
  return {templateVertex(codelet, args...),
          std::bind(f, std::placeholders::_1, std::placeholders::_2,
                    std::forward<Args>(args)...)};
}

inline void registerPerfFunctions(poplar::Graph &graph,
                                  const PerfEstimatorTable &table) {
  for (const auto &entry : table)
    graph.registerPerfEstimator(entry.first, entry.second);
}

// Instructions that make a pointer of a field's representation.
inline std::uint64_t getUnpackCost(const poplar::layout::Vector layout) {
  switch (layout) {
  case poplar::layout::Vector::ShortSpan:
  case poplar::layout::Vector::ScaledPtr32:
    return 2;
  case poplar::layout::Vector::ScaledPtr64:
  case poplar::layout::Vector::ScaledPtr128:
    return 1;
  default:
    return 0;
  }
}

inline std::uint64_t getUnpackCost(const poplar::layout::VectorList layout) {
  switch (layout) {
  case poplar::layout::VectorList::DeltaN:
    return getUnpackCost(poplar::layout::Vector::ScaledPtr32);
  case poplar::layout::VectorList::DeltaNElements:
    return 5;
  default:
    throw poplibs_error("the cost of this layout of a VectorList is unknown");
  }
}

// Of each of its vectors.
inline std::uint64_t
getVectorListDeltaUnpackCost(const poplar::layout::VectorList layout) {
  switch (layout) {
  case poplar::layout::VectorList::DeltaN:
    return 3;
  case poplar::layout::VectorList::DeltaNElements:
    return 2;
  default:
    throw poplibs_error("the cost of this layout of a VectorList is unknown");
  }
}

} // namespace internal
} // namespace poputil
