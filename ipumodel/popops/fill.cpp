#include "popops/map/map_program.hpp"
#include "popops/quarter_cast.hpp"

#include <popops/Fill.hpp>
#include <popops/Zero.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;

// A QUARTER zero has all bits 0, whatever its metadata.
template <class T> Tensor withoutQuarter(const Tensor &t, T value) {
  return t.elementType() == QUARTER && value == T(0)
             ? t.reinterpret(UNSIGNED_CHAR)
             : t;
}

template <class T> MapBuilder builderOf(const Type &type, T value) {
  MapBuilder builder({});
  builder.output(builder.constant(type, TypeTraits::make<T>(), &value));
  return builder;
}

// Has the shape of a QUARTER tensor, and is cast once its metadata are known.
template <class T> Tensor constantLike(Graph &graph, const Tensor &t, T value) {
  const Tensor constant =
      graph.addConstant(FLOAT, {1}, static_cast<float>(value), "fillValue");
  graph.setTileMapping(constant, 0);
  return constant.broadcast(static_cast<unsigned>(t.numElements()), 0)
      .reshape(t.shape());
}

template <class T>
void fillIn(Graph &graph, ComputeSet cs, const Tensor &whole, T value) {
  const Tensor t = withoutQuarter(whole, value);
  if (t.elementType() == QUARTER)
    addQuarterCast(graph, cs, constantLike(graph, t, value), t, "fill");
  else
    addMap(graph, cs, builderOf(t.elementType(), value), {t}, {}, "fill");
}

} // namespace

template <typename FillValueType>
void fill(Graph &graph, Tensor t, const std::vector<Interval> &tileRegions,
          unsigned tile, ComputeSet fillCS, FillValueType fillValue) {
  std::vector<std::vector<Interval>> mapping(tile + 1);
  mapping[tile] = tileRegions;
  fill(graph, t, mapping, fillCS, fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &t, unsigned, ComputeSet fillCS,
          FillValueType fillValue) {
  fillIn(graph, fillCS, t, fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &t,
          const std::vector<std::vector<Interval>> &mapping, ComputeSet fillCS,
          FillValueType fillValue) {
  std::vector<Interval> regions;
  for (const auto &tile : mapping)
    regions.insert(regions.end(), tile.begin(), tile.end());
  if (!regions.empty())
    fillIn(graph, fillCS, concat(t.flatten().slices(regions)), fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &whole, Sequence &prog,
          FillValueType fillValue, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, {{"t", poputil::toProfileValue(whole)},
                     {"fillValue", poputil::toProfileValue(fillValue)}});
  const Tensor t = withoutQuarter(whole, fillValue);
  if (t.elementType() == QUARTER)
    addQuarterCast(prog, constantLike(graph, t, fillValue), t, {di});
  else
    addMap(prog, builderOf(t.elementType(), fillValue), {t}, {}, {di});
}

#define POPOPS_INSTANTIATE_FILL(T)                                             \
  template void fill<T>(Graph &, Tensor, const std::vector<Interval> &,        \
                        unsigned, ComputeSet, T);                              \
  template void fill<T>(Graph &, const Tensor &, unsigned, ComputeSet, T);     \
  template void fill<T>(Graph &, const Tensor &,                               \
                        const std::vector<std::vector<Interval>> &,            \
                        ComputeSet, T);                                        \
  template void fill<T>(Graph &, const Tensor &, Sequence &, T,                \
                        const DebugContext &);

POPOPS_INSTANTIATE_FILL(double)
POPOPS_INSTANTIATE_FILL(float)
POPOPS_INSTANTIATE_FILL(int)
POPOPS_INSTANTIATE_FILL(unsigned)
POPOPS_INSTANTIATE_FILL(long long)
POPOPS_INSTANTIATE_FILL(unsigned long long)

#undef POPOPS_INSTANTIATE_FILL

void zero(Graph &graph, Tensor t, const std::vector<Interval> &tileRegions,
          unsigned tile, ComputeSet zeroCS) {
  fill(graph, t, tileRegions, tile, zeroCS, 0);
}

void zero(Graph &graph, const Tensor &t, unsigned tile, ComputeSet zeroCS) {
  fill(graph, t, tile, zeroCS, 0);
}

void zero(Graph &graph, const Tensor &t,
          const std::vector<std::vector<Interval>> &mapping,
          ComputeSet zeroCS) {
  fill(graph, t, mapping, zeroCS, 0);
}

void zero(Graph &graph, const Tensor &t, Sequence &prog,
          const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  fill(graph, t, prog, 0, {di});
}

} // namespace popops
