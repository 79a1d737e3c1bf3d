#include "poplar/plan/item_vertices.hpp"

#include "poplar/vertex/vertex_edges.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace ipumodel {

namespace {

using Item = StageOperands::Item;
using Ranges = std::set<std::array<std::size_t, 2>>;

// What a compute set uses of a chain's items, and of other variables.
class VertexUses {
public:
  VertexUses(PlanBuilder &builder, const ItemIndex &chain)
      : graph_(builder.graph()), memory_(builder.memory()), chain_(chain) {}

  // The item that the vertex reads; empty if there is not exactly one, or if
  // the vertex cannot use its elements where they are.
  std::optional<std::size_t> itemOf(std::uint32_t vertex,
                                    ItemVertices::Extent &extent) {
    std::optional<std::size_t> item;
    extent = {~std::size_t(0), 0};
    bool isPossible = true;
    forEachEdge(graph_, vertex, [&](const abi::Field &field, const Edge &edge) {
      if (edge.variable == Edge::kView) {
        isPossible = false;
        return;
      }
      const std::size_t begin =
          memory_.offsetOf(edge.variable) + edge.offset * field.elementSize;
      const std::size_t end = begin + edge.count * field.elementSize;
      const std::optional<std::size_t> found =
          field.direction == abi::Direction::input
              ? chain_.find(edge.variable, begin, end)
              : std::nullopt;
      if (!found) {
        isPossible = isPossible && begin % field.minAlign == 0;
        (field.direction == abi::Direction::input ? read_ : written_)
            .insert(edge.variable);
        return;
      }
      const Item *const operand = &chain_.items()[*found];
      const std::size_t from = begin - operand->offset;
      const std::size_t index = from / operand->bytes;
      isPossible =
          isPossible && end <= operand->offset + (index + 1) * operand->bytes &&
          index == item.value_or(index) && begin % field.minAlign == 0 &&
          from % operand->bytes % field.minAlign == 0;
      extent.begin = std::min(extent.begin, from % operand->bytes);
      extent.end =
          std::max(extent.end, end - operand->offset - index * operand->bytes);
      item = index;
      Ranges &ranges = used_[*found];
      if (begin != end)
        ranges.insert(
            {from % operand->bytes, from % operand->bytes + (end - begin)});
    });
    return isPossible ? item : std::nullopt;
  }

  // What they read of each item that addTo() adds, in the same order.
  std::vector<Ranges> ranges() const {
    std::vector<Ranges> all;
    for (const auto &[item, ranges] : used_)
      all.push_back(ranges);
    return all;
  }

  // False if vertices read what others of them write.
  bool addTo(StageOperands &operands) const {
    for (const auto &[item, ranges] : used_) {
      operands.items.push_back(chain_.items()[item]);
      operands.items.back().access = Access::read;
    }
    const auto addWholes = [&](const std::set<VariableId> &variables,
                               Access access) {
      for (const VariableId id : variables)
        operands.addWhole(View(id, {graph_.variables[id].numElements}), access);
    };
    addWholes(read_, Access::read);
    addWholes(written_, Access::write);
    return std::none_of(read_.begin(), read_.end(),
                        [&](VariableId id) { return written_.count(id) != 0; });
  }

private:
  const GraphData &graph_;
  const MemoryPlan &memory_;
  const ItemIndex &chain_;
  std::map<std::size_t, Ranges> used_;  // items of the chain, what is read
  std::set<VariableId> read_, written_; // that are not items
};

} // namespace

void ItemIndex::add(const Item &item) {
  OfVariable &known = variables_[item.view.blocks()[0].variable];
  if (!known.numbers.insert({{item.offset, item.bytes}, items_.size()}).second)
    return;
  known.longest = std::max(known.longest, item.view.shape()[0] * item.bytes);
  items_.push_back(item);
}

std::optional<std::size_t>
ItemIndex::find(VariableId variable, std::size_t begin, std::size_t end) const {
  const auto known = variables_.find(variable);
  if (known == variables_.end())
    return std::nullopt;
  const auto &[numbers, longest] = known->second;
  std::optional<std::size_t> first;
  for (auto at = numbers.lower_bound({begin + 1, 0}); at != numbers.begin();) {
    const auto [place, number] = *--at;
    if (place[0] + longest < end)
      break;
    const Item &item = items_[number];
    if (end <= item.offset + item.view.shape()[0] * item.bytes)
      first = std::min(first.value_or(number), number);
  }
  return first;
}

std::unique_ptr<ItemVertices> ItemVertices::make(const ProgramNode &execute,
                                                 const ItemIndex &chain,
                                                 StageOperands &operands) {
  const GraphData &graph = operands.builder.graph();
  const ComputeSetInfo &info = graph.computeSets[execute.id];
  const bool hasExitStatus = !execute.tensors.empty();
  if (hasExitStatus || !info.natives.empty() || info.vertices.empty())
    return nullptr;
  const std::uint32_t type = graph.vertices[info.vertices[0]].type;
  if (graph.vertexTypes[type].codelet->runColumns &&
      info.vertices.size() >= VertexColumns::kMinVertices)
    return nullptr; // as columns they are faster
  VertexUses uses(operands.builder, chain);
  std::vector<std::size_t> ends;
  std::vector<Extent> extents(info.vertices.size());
  for (std::size_t i = 0; i < info.vertices.size(); ++i) {
    const std::uint32_t id = info.vertices[i];
    const auto item = uses.itemOf(id, extents[i]);
    const bool isNext =
        item && *item + 1 >= ends.size() && graph.vertices[id].type == type;
    if (!isNext)
      return nullptr;
    ends.resize(*item + 1, i);
    ends[*item] = i + 1;
  }
  if (!uses.addTo(operands))
    return nullptr;
  ends.resize(chain.items()[0].view.shape()[0], info.vertices.size());
  for (std::size_t item = 0; item < ends.size(); ++item)
    for (std::size_t i = ends[item]; i-- > (item == 0 ? 0 : ends[item - 1]);)
      if (i + 1 < ends[item])
        extents[i].begin = std::min(extents[i].begin, extents[i + 1].begin);
  std::vector<Operand> ofVertices;
  std::vector<Ranges> ranges = uses.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const Item &item = operands.items[i];
    ofVertices.push_back({{item.offset, item.bytes, item.view.shape()[0]},
                          std::move(ranges[i])});
  }
  return std::unique_ptr<ItemVertices>(new ItemVertices(
      std::move(ends), std::move(extents), std::move(ofVertices)));
}

bool ItemVertices::readsOnly(std::size_t operand, const ItemPart &part) const {
  const Ranges &read = operands_[operand].ranges;
  return std::all_of(read.begin(), read.end(), [&](const auto &range) {
    const std::size_t line = range[0] / part.lineBytes;
    const std::size_t last = (range[1] - 1) / part.lineBytes;
    const bool isWhole = part.usedBytes == part.lineBytes;
    return last < part.usedLines &&
           (isWhole || (line == last &&
                        range[1] - line * part.lineBytes <= part.usedBytes));
  });
}

StepId ItemVertices::place(const ProgramNode &execute, PlanBuilder &builder) {
  std::vector<ChainItems> places;
  for (const Operand &operand : operands_)
    places.push_back(operand.items);
  vertices_ = builder.planVertices(execute);
  pointers_ = vertices_->pointersTo(places, builder.plan());
  pointerEnds_.assign(extents_.size(), 0);
  for (const ItemPointer &pointer : pointers_)
    ++pointerEnds_[pointer.vertex];
  std::partial_sum(pointerEnds_.begin(), pointerEnds_.end(),
                   pointerEnds_.begin());
  return vertices_->step();
}

void ItemVertices::runRange(const BatchItem &item, std::size_t begin,
                            std::size_t end) const {
  if (begin == end)
    return;
  char *const memory = item.replica->memory.data();
  const ItemPointer *const first =
      pointers_.data() + (begin == 0 ? 0 : pointerEnds_[begin - 1]);
  const ItemPointer *const last = pointers_.data() + pointerEnds_[end - 1];
  const auto set = [&](const ItemPointer &pointer, const char *at) {
    std::memcpy(memory + pointer.position, &at, sizeof(at));
  };
  for (const ItemPointer *p = first; p < last; ++p)
    set(*p, item.operands[p->operand] + p->offset);
  vertices_->runRange(*item.replica, begin, end);
  // Where a branch is taken, the compute set is executed by itself.
  for (const ItemPointer *p = first; p < last; ++p)
    set(*p, memory + p->target);
}

void ItemVertices::run(const BatchItem &item) const {
  runRange(item, firstOf(item.index), ends_[item.index]);
}

std::size_t ItemVertices::runUpTo(std::size_t bytes, const BatchItem &item,
                                  std::size_t &next) const {
  const std::size_t begin = next, end = ends_[item.index];
  while (next < end && extents_[next].end <= bytes)
    ++next;
  runRange(item, begin, next);
  return next < end ? std::min(bytes, extents_[next].begin) : bytes;
}

} // namespace ipumodel
