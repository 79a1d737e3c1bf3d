#include "popops/reduce/reduce_arrangement.hpp"

#include "poplar/plan/batch_stage.hpp"
#include "poplar/view/layout.hpp"
#include "popops/reduce/reduce_loops.hpp"

#include <algorithm>

namespace ipumodel {

ByLoops loopsOf(const View &in, const std::set<std::size_t> &reduced) {
  ByLoops result;
  Shape shape;
  for (std::size_t d = 0; d < in.shape().size(); ++d) {
    Shape counts;
    if (in.blocks().size() == 1 && (d != 0 || !reduced.count(d)))
      for (const Loop &loop : in.blocks()[0].dims[d].loops)
        counts.push_back(loop.count);
    if (counts.size() < 2)
      counts = {in.shape()[d]};
    for (const std::size_t count : counts) {
      if (reduced.count(d))
        result.reduced.insert(shape.size());
      else
        result.kept.push_back(count);
      shape.push_back(count);
    }
  }
  result.input = in.reshape(shape);
  return result;
}

Arrangement arrange(const View &in, const std::set<std::size_t> &reduced) {
  std::vector<unsigned> order = storageOrder(in);
  // The position of dimensions of size one means nothing; judge by the
  // innermost larger one.
  bool keptInside = false;
  for (const unsigned d : order)
    if (in.shape()[d] > 1)
      keptInside = reduced.count(d) == 0;
  Arrangement result;
  result.columns = keptInside;
  result.outer = 1;
  const auto isReduced = [&](unsigned d) { return reduced.count(d) != 0; };
  auto first = order.begin(); // after the kept dimensions outside
  if (keptInside)
    first = std::find_if(first, order.end(), [&](unsigned d) {
      return isReduced(d) && in.shape()[d] > 1;
    });
  std::stable_partition(first, order.end(),
                        [&](unsigned d) { return isReduced(d) == keptInside; });
  for (auto d = order.begin(); d != (keptInside ? first : order.end()); ++d)
    if (!isReduced(*d))
      result.outer *= in.shape()[*d];
  result.input = order;
  std::vector<unsigned> position(
      order.size()); // of a kept dimension in the output
  unsigned next = 0;
  for (unsigned d = 0; d < order.size(); ++d)
    if (!reduced.count(d))
      position[d] = next++;
  for (const unsigned d : order)
    if (!reduced.count(d))
      result.output.push_back(position[d]);
  return result;
}

Over overWhat(const Arrangement &arrangement, const ByLoops &loops) {
  if (arrangement.input.empty() || loops.input.numElements() == 0)
    return Over::other;
  const unsigned outermost = arrangement.input[0];
  if (loops.input.shape()[outermost] < kBatchGroups)
    return Over::other;
  if (!loops.reduced.count(outermost))
    return Over::items;
  return arrangement.columns && outermost == 0 ? Over::batch : Over::other;
}

std::size_t reducePartLength(std::size_t inner) {
  return std::max<std::size_t>(1, kReduceTaskElements /
                                      std::max<std::size_t>(1, inner));
}

void reduceTable(popops::Operation operation, bool columns, const float *in,
                 std::size_t n, std::size_t inner, float *out) {
  if (!columns) {
    *out = reduceRow(operation, in, n);
    return;
  }
  std::fill(out, out + inner, identityOf(operation));
  reduceColumns(operation, in, n, inner, out);
}

} // namespace ipumodel
