#include <popops/Cast.hpp>
#include <popops/Rearrange.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>

namespace popops {
namespace rearrange {

using namespace poplar;
using poplar::program::Copy;
using poplar::program::Execute;
using poplar::program::Sequence;
using poputil::GroupingInfo;
using poputil::poplibs_error;

namespace {

bool isOneOf(const Type &type, std::initializer_list<Type> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool canTranspose(const Type &type) {
  return isOneOf(
      type, {QUARTER, HALF, FLOAT, UNSIGNED_SHORT, UNSIGNED_INT, SHORT, INT});
}

void checkGrouping(const Tensor &t, const char *name, const GroupingInfo &g) {
  if (g.first >= t.rank() || g.second == 0 || t.dim(g.first) % g.second != 0)
    throw poplibs_error(std::string("regroupTensor: grouping '") + name +
                        "' of " + std::to_string(g.second) +
                        " elements does not divide dimension " +
                        std::to_string(g.first) + " of " + t.shapeToString());
}

// The smallest divisor of `group`, greater than one, that leaves whole grains;
// 1 if there is none.
unsigned divisor(unsigned group, unsigned grain) {
  for (unsigned d = 2; d <= group / grain; ++d)
    if (group % (d * grain) == 0)
      return d;
  return 1;
}

// Smaller groups as long as there are tiles without any.
void divideGroups(std::size_t elements, std::size_t tiles, unsigned grain,
                  GroupingInfo &from, GroupingInfo &to) {
  if (from.second % grain != 0 || to.second % grain != 0)
    return;
  std::size_t blocks = elements / (std::size_t(from.second) * to.second);
  for (GroupingInfo *group : {&from, &to})
    for (unsigned d = divisor(group->second, grain);
         d != 1 && blocks * d <= tiles; d = divisor(group->second, grain)) {
      group->second /= d;
      blocks *= d;
    }
}

// Splits each group from its dimension and moves it after all others.
Tensor grouped(Tensor t, std::initializer_list<GroupingInfo> groups) {
  unsigned last = t.rank();
  for (const GroupingInfo &g : groups)
    t = t.reshapePartial(g.first, g.first + 1,
                         {t.dim(g.first) / g.second, g.second})
            .dimRoll(g.first + 1, last++);
  return t;
}

Tensor ungrouped(Tensor t, std::initializer_list<GroupingInfo> groups) {
  for (auto g = groups.end(); g != groups.begin();) {
    --g;
    t = t.dimRoll(t.rank() - 1, g->first + 1).flatten(g->first, g->first + 2);
  }
  return t;
}

Tensor regroup(Graph &graph, const Tensor &t, std::vector<Copy> &copies,
               GroupingInfo from, GroupingInfo to,
               const poputil::PoplibsOpDebugInfo &di) {
  if (t.rank() <= 1)
    return t;
  if (!canTranspose(t.elementType()))
    throw poplibs_error("regroupTensor: " + t.elementType().toString() +
                        " is not supported");
  checkGrouping(t, "from", from);
  checkGrouping(t, "to", to);
  divideGroups(t.numElements(), graph.getTarget().getNumTiles(),
               getMinimumRegroupGrainSize(t.elementType()), from, to);
  const Tensor source = grouped(t, {from, to});
  Tensor stored = t.hasMetadata()
                      ? graph.addVariable(t.elementType(), t.getMetadata(),
                                          source.shape(), {di, "regrouped"})
                      : graph.addVariable(t.elementType(), source.shape(),
                                          {di, "regrouped"});
  const unsigned block = from.second * to.second;
  poputil::mapTensorLinearly(graph, stored, block, block);
  copies.emplace_back(source, stored, false, DebugContext(di));
  return ungrouped(stored, {from, to});
}

bool isSuitable(const std::vector<GroupingInfo> &groupings, const Type &type) {
  return !groupings.empty() &&
         groupings[0].second % getMinimumRegroupGrainSize(type) == 0;
}

void addAll(Sequence &prog, const std::vector<Copy> &copies) {
  for (const Copy &copy : copies)
    prog.add(copy);
}

} // namespace

bool canUseFastTranspose(const Target &target, const Type &type,
                         unsigned numRows, unsigned numColumns,
                         unsigned numTranspositions) {
  constexpr unsigned kMaxField = std::numeric_limits<std::uint16_t>::max();
  const unsigned maxRepeats = target.getRptCountMax();
  if (numTranspositions > kMaxField)
    return false;
  if (type == QUARTER)
    return numRows % 8 == 0 && numColumns % 8 == 0 &&
           numRows / 8 <= std::min(kMaxField, maxRepeats) &&
           numColumns / 8 <= kMaxField;
  if (!isOneOf(type, {HALF, UNSIGNED_SHORT, SHORT}) || numRows % 4 != 0 ||
      numColumns % 4 != 0)
    return false;
  // Two of the repetitions are outside the loop.
  const auto fits = [&](unsigned repeats) {
    return repeats < 2 || repeats - 2 <= maxRepeats;
  };
  const unsigned maxStride = 1u << (target.getNumStrideBits() - 1);
  const auto strideOf = [](unsigned size) { return size / 4 * 3 - 1; };
  if (numColumns == 4 && numRows == 4)
    return fits(numTranspositions);
  if (numColumns == 4)
    return fits(numRows / 4) && strideOf(numRows) <= maxStride;
  return fits(numColumns / 4) && strideOf(numColumns) <= maxStride &&
         numRows / 4 < maxStride;
}

void addTransposeVertices(
    Graph &graph, const ComputeSet &cs, const Type &dType, unsigned rows,
    unsigned cols, const Graph::TileToTensorMapping &mapping,
    std::function<std::pair<const Tensor, const Tensor>(size_t)> getInOut,
    const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(dType, rows, cols));
  if (!canTranspose(dType))
    throw poplibs_error("addTransposeVertices: " + dType.toString() +
                        " is not supported");
  std::vector<Tensor> from, to;
  for (const std::vector<Interval> &tile : mapping)
    for (const Interval &interval : tile)
      for (std::size_t i = interval.begin(); i < interval.end(); ++i) {
        const std::pair<const Tensor, const Tensor> matrices = getInOut(i);
        if (matrices.first.numElements() != std::size_t(rows) * cols ||
            matrices.second.numElements() != std::size_t(rows) * cols)
          throw poplibs_error("addTransposeVertices: matrix " +
                              std::to_string(i) + " has not " +
                              std::to_string(rows) + " times " +
                              std::to_string(cols) + " elements");
        from.push_back(
            matrices.first.reshape({rows, cols}).transpose().flatten());
        to.push_back(matrices.second.flatten());
      }
  if (from.empty())
    return;
  // The bits of a QUARTER are not converted.
  const auto bits = [&](const Tensor &t) {
    return dType == QUARTER ? t.reinterpret(UNSIGNED_CHAR) : t;
  };
  cast(graph, bits(concat(from)), bits(concat(to)), cs);
}

Tensor partialTranspose(Graph &graph, const Tensor &in, const ComputeSet &cs,
                        const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, cs));
  const unsigned rank = in.rank();
  if (rank < 2)
    throw poplibs_error("partialTranspose: a tensor of shape " +
                        in.shapeToString() + " is not a matrix");
  const auto rows = static_cast<unsigned>(in.dim(rank - 2));
  const auto cols = static_cast<unsigned>(in.dim(rank - 1));
  std::vector<std::size_t> shape = in.shape();
  std::swap(shape[rank - 2], shape[rank - 1]);
  const Tensor out = in.hasMetadata()
                         ? graph.addVariable(in.elementType(), in.getMetadata(),
                                             shape, {di, "partialTranspose"})
                         : graph.addVariable(in.elementType(), shape,
                                             {di, "partialTranspose"});
  graph.setTileMapping(out.flatten(), graph.getTileMapping(in.flatten()));
  if (in.numElements() != 0) {
    const std::size_t size = std::size_t(rows) * cols;
    const std::size_t count = in.numElements() / size;
    const Tensor from = in.reshape({count, size}),
                 to = out.reshape({count, size});
    addTransposeVertices(
        graph, cs, in.elementType(), rows, cols, {{{0, count}}},
        [&](std::size_t i) {
          return std::pair<const Tensor, const Tensor>(from[i], to[i]);
        },
        {di});
  }
  di.addOutput(out);
  return out;
}

unsigned getMinimumRegroupGrainSize(const Type &type) {
  if (type == QUARTER)
    return 8;
  if (isOneOf(type, {HALF, UNSIGNED_SHORT, SHORT}))
    return 4;
  return isOneOf(type, {FLOAT, UNSIGNED_INT, INT}) ? 2 : 1;
}

Tensor regroupTensor(Graph &graph, const Tensor &t, std::vector<Copy> &copies,
                     const ComputeSet &, const GroupingInfo &from,
                     const GroupingInfo &to, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, from, to));
  const Tensor out = regroup(graph, t, copies, from, to, di);
  di.addOutput(out);
  return out;
}

Tensor regroupTensor(Graph &graph, const Tensor &t, Sequence &copies,
                     const ComputeSet &transposeCS, const GroupingInfo &from,
                     const GroupingInfo &to, const DebugContext &debugContext) {
  std::vector<Copy> list;
  const Tensor out =
      regroupTensor(graph, t, list, transposeCS, from, to, debugContext);
  addAll(copies, list);
  return out;
}

Tensor regroupIfPossible(Graph &graph, const Tensor &t, Sequence &prog,
                         const GroupingInfo &to,
                         const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, to));
  if (t.rank() <= 1 || to.first >= t.rank() || to.second == 0 ||
      t.dim(to.first) % to.second != 0 || !canTranspose(t.elementType()))
    return t;
  const std::vector<GroupingInfo> groupings =
      poputil::detectDimGroupings(graph, t);
  if (!isSuitable(groupings, t.elementType()) || groupings[0].first == to.first)
    return t;
  std::vector<Copy> copies;
  const Tensor out = regroup(graph, t, copies, groupings[0], to, di);
  addAll(prog, copies);
  di.addOutput(out);
  return out;
}

Tensor regroupIfBeneficial(Graph &graph, const Tensor &in, const Tensor &ref,
                           std::vector<Copy> &copies, ComputeSet,
                           const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, ref));
  if (in.rank() <= 1 || ref.rank() <= 1 || !canTranspose(in.elementType()))
    return in;
  if (in.shape() != ref.shape())
    throw poplibs_error("regroupIfBeneficial: the reference of shape " +
                        ref.shapeToString() + " does not match " +
                        in.shapeToString());
  const std::vector<GroupingInfo> own = poputil::detectDimGroupings(graph, in),
                                  wanted =
                                      poputil::detectDimGroupings(graph, ref);
  if (!isSuitable(own, in.elementType()) ||
      !isSuitable(wanted, in.elementType()) || own[0].first == wanted[0].first)
    return in;
  const Tensor out = regroup(graph, in, copies, own[0], wanted[0], di);
  di.addOutput(out);
  return out;
}

Tensor regroupIfBeneficial(Graph &graph, const Tensor &in, const Tensor &ref,
                           Sequence &prog, const DebugContext &debugContext) {
  std::vector<Copy> copies;
  const Tensor out = regroupIfBeneficial(
      graph, in, ref, copies, graph.addComputeSet(debugContext), debugContext);
  addAll(prog, copies);
  return out;
}

Tensor regroupIfBeneficial(Graph &graph, const Tensor &in,
                           std::size_t preferredGrouping, Sequence &prog,
                           const DebugContext &debugContext) {
  if (!canTranspose(in.elementType()))
    return in;
  if (in.rank() == 0 || preferredGrouping == 0 ||
      in.dim(in.rank() - 1) % preferredGrouping != 0)
    throw poplibs_error(
        "regroupIfBeneficial: groups of " + std::to_string(preferredGrouping) +
        " elements do not divide the last dimension of " + in.shapeToString());
  const GroupingInfo wanted(in.rank() - 1,
                            static_cast<unsigned>(preferredGrouping));
  return wanted.second % getMinimumRegroupGrainSize(in.elementType()) == 0
             ? regroupIfPossible(graph, in, prog, wanted, debugContext)
             : in;
}

} // namespace rearrange
} // namespace popops
