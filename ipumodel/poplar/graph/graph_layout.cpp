#include "poplar/graph/tensor_checks.hpp"
#include "poplar/view/sorted_regions.hpp"

#include <poplar/Graph.hpp>

namespace poplar {

using ipumodel::Block;
using ipumodel::describe;
using ipumodel::GraphImpl;
using ipumodel::implOf;
using ipumodel::Loop;
using ipumodel::Piece;
using ipumodel::prefixOf;
using ipumodel::rangeText;
using ipumodel::Shape;
using ipumodel::TensorData;
using ipumodel::View;

namespace {

// The flattened tensor as intervals in the order of memory.
std::vector<Interval> storageOrder(const View &view) {
  std::vector<Interval> order;
  const Interval whole(0, view.numElements());
  for (const Piece &piece : ipumodel::sortedPieces(view, {whole})) {
    if (!order.empty() && order.back().end() == piece.position)
      order.back() =
          Interval(order.back().begin(), piece.position + piece.run.count);
    else
      order.emplace_back(piece.position, piece.position + piece.run.count);
  }
  return order;
}

} // namespace

std::vector<std::vector<Interval>>
Graph::getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                                  bool removeAliasedIntervals,
                                  std::vector<std::size_t> *aliases) const {
  const TensorData &data = implOf(*this).check(t, "getSortedContiguousRegions");
  const std::size_t size = data.view.numElements();
  for (const Interval &region : regions)
    if (region.begin() > region.end() || region.end() > size)
      throw index_error(prefixOf(data) + "getSortedContiguousRegions: " +
                        rangeText(region.begin(), region.end()) +
                        " is not a range of the " + std::to_string(size) +
                        " elements of tensor " + describe(data));
  std::vector<Piece> pieces = ipumodel::sortedPieces(data.view, regions);
  if (removeAliasedIntervals || aliases)
    pieces = ipumodel::resolveAliases(pieces);
  if (aliases)
    aliases->clear();

  std::vector<std::vector<Interval>> sequences;
  const Piece *last = nullptr;
  for (const Piece &piece : pieces) {
    if (removeAliasedIntervals && piece.alias != piece.position)
      continue;
    const Interval interval(piece.position, piece.position + piece.run.count);
    const bool follows = last && last->run.variable == piece.run.variable &&
                         last->run.offset + last->run.count == piece.run.offset;
    if (!follows)
      sequences.emplace_back();
    std::vector<Interval> &sequence = sequences.back();
    // Intervals with aliases are not joined.
    if (follows && !aliases && sequence.back().end() == interval.begin())
      sequence.back() = Interval(sequence.back().begin(), interval.end());
    else
      sequence.push_back(interval);
    if (aliases)
      aliases->push_back(piece.alias);
    last = &piece;
  }
  return sequences;
}

// A single block is reordered loop by loop, whatever its size: each loop is
// treated as a dimension, and these are sorted by descending stride.
void Graph::reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool) const {
  const GraphImpl &impl = implOf(*this);
  const TensorData &data = impl.check(*t, "reorderToSimplify");
  for (const Tensor *other : ts) {
    const TensorData &checked = impl.check(*other, "reorderToSimplify");
    if (checked.view.numElements() != data.view.numElements())
      throw poplar_error(prefixOf(checked) + "reorderToSimplify: tensor " +
                         describe(checked) + " and tensor " + describe(data) +
                         " have different numbers of elements");
  }
  std::function<Tensor(const Tensor &)> reorder = [](const Tensor &tensor) {
    return tensor.flatten();
  };
  const View flat = data.view.flatten();
  if (flat.blocks().size() == 1) {
    const auto &loops = flat.blocks()[0].dims[0].loops;
    Shape counts;
    std::vector<unsigned> order, reversed;
    for (unsigned i = 0; i < loops.size(); ++i) {
      counts.push_back(loops[i].count);
      order.push_back(i);
      if (loops[i].stride < 0)
        reversed.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      // Loops that only repeat stay outermost, so that regions stay whole.
      const bool repeats = loops[a].stride == 0, others = loops[b].stride == 0;
      return repeats != others
                 ? repeats
                 : std::abs(loops[a].stride) > std::abs(loops[b].stride);
    });
    reorder = [=](const Tensor &tensor) {
      Tensor shaped = tensor.reshape(counts);
      for (const unsigned dim : reversed)
        shaped = shaped.reverse(dim);
      return shaped.dimShuffle(order).flatten();
    };
  } else if (flat.blocks().size() > 1) {
    const TensorRearranger rearranger(storageOrder(flat));
    reorder = [=](const Tensor &tensor) {
      return rearranger.rearrange(tensor);
    };
  }
  *t = reorder(*t);
  for (Tensor *other : ts)
    *other = reorder(*other);
}

TensorRearranger Graph::getSimplifyingRearranger(const Tensor &t) const {
  return TensorRearranger(
      storageOrder(implOf(*this).check(t, "getSimplifyingRearranger").view));
}

Tensor Graph::findUnbroadcastTensor(const Tensor &t) const {
  const TensorData &data = implOf(*this).check(t, "findUnbroadcastTensor");
  Tensor result = t;
  for (unsigned d = 0; d < data.view.shape().size(); ++d) {
    // The whole dimension repeats if the outermost loop of every block does.
    std::size_t times = 0;
    for (const Block &block : data.view.blocks()) {
      const auto &dim = block.dims[d];
      const bool repeats = dim.extent == data.view.shape()[d] &&
                           !dim.loops.empty() && dim.loops[0].stride == 0;
      times = std::gcd(times, repeats ? dim.loops[0].count : std::size_t(1));
    }
    if (times > 1)
      result = result.slice(0, data.view.shape()[d] / times, d);
  }
  return result;
}

} // namespace poplar
