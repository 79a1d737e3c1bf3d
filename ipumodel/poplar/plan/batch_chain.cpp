#include "poplar/plan/batch_chain.hpp"

#include "poplar/codelet/vertex_print.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ipumodel {

BatchChain::BatchChain(std::size_t batch, std::size_t together,
                       std::vector<Link> links)
    : batch_(batch), together_(together), links_(std::move(links)) {
  for (const Link &link : links_)
    numFinishTasks_ += link.stage->numFinishTasks();
}

void BatchChain::run(ExecutionState &state) const {
  for (const Link &link : links_)
    state.count(link.step);
  for (const Replica &replica : state.replicas) {
    for (const Link &link : links_)
      link.stage->prepare(replica, state.pool);
    // All that one link's vertices print comes before what the next link's do.
    VertexOutput output(links_.size() * kBatchGroups);
    state.pool.run(kBatchGroups, [&](std::size_t group) {
      runGroup(replica, group, output);
    });
    state.pool.run(numFinishTasks_,
                   [&](std::size_t task) { finish(replica, task); });
    for (const Link &link : links_)
      link.stage->conclude(replica, state.pool);
    output.show(*state.printStream);
  }
}

char *BatchChain::placeOf(const Operand &operand, const Replica &replica,
                          std::size_t group, std::size_t index) {
  if (operand.copy)
    if (char *const place = operand.copy->otherPlace(replica, index))
      return place;
  return operand.groupBytes
             ? replica.scratch.data() + operand.offset +
                   group * operand.groupBytes
             : replica.memory.data() + operand.offset + index * operand.bytes;
}

void BatchChain::findPlaces(const Link &link, const Replica &replica,
                            std::size_t group, std::size_t index,
                            char **operands) {
  for (std::size_t i = 0; i < link.operands.size(); ++i)
    operands[i] = placeOf(link.operands[i], replica, group, index);
}

// The vertices that run while a stage makes an item.
class BatchChain::Readers : public ItemReaders {
public:
  Readers(const BatchChain &chain, const Link &maker, const BatchItem &item,
          VertexOutput &output)
      : chain_(chain), links_(maker.readers), item_(item), output_(output) {
    for (std::size_t i = 0; i < links_.size(); ++i)
      next_[i] = chain.links_[links_[i]].vertices->firstOf(item.index);
  }

  std::size_t advance(std::size_t bytes) override {
    std::size_t free = bytes;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const Link &link = chain_.links_[links_[i]];
      BatchItem item = item_;
      char *place; // vertices that run early have one operand
      findPlaces(link, *item.replica, item.group, item.index, &place);
      item.operands = &place;
      free = std::min(free, link.vertices->runUpTo(bytes, item, next_[i]));
      output_.endTask(links_[i] * kBatchGroups + item.group);
    }
    return free;
  }

private:
  const BatchChain &chain_;
  const std::vector<std::size_t> &links_;
  const BatchItem &item_;
  VertexOutput &output_;
  std::size_t next_[kMaxReaders]; // vertex to run, by link
};

void BatchChain::runGroup(const Replica &replica, std::size_t group,
                          VertexOutput &output) const {
  const std::size_t first = batch_ * group / kBatchGroups;
  const std::size_t end = batch_ * (group + 1) / kBatchGroups;
  for (std::size_t index = first; index < end;) {
    const std::size_t count = end - index < together_ ? 1 : together_;
    const BatchItem item{index,   group,   index == first,
                         nullptr, nullptr, &replica};
    if (count == 1)
      runItem(item, output);
    else
      runItems(item);
    index += count;
  }
}

// As many as run together.
void BatchChain::runItems(BatchItem first) const {
  char *operands[kMaxItemOperands];
  first.operands = operands;
  for (const Link &link : links_) {
    if (link.isAbsorbed)
      continue;
    findPlaces(link, *first.replica, first.group, first.index, operands);
    link.stage->runTogether(first, together_);
  }
}

void BatchChain::runItem(BatchItem item, VertexOutput &output) const {
  char *operands[kMaxItemOperands];
  item.operands = operands;
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link &link = links_[l];
    if (link.isAbsorbed || link.isReader)
      continue;
    const bool isElsewhere = link.operands[0].copy == link.stage.get() &&
                             link.stage->otherPlace(*item.replica, item.index);
    if (!isElsewhere)
      findPlaces(link, *item.replica, item.group, item.index, operands);
    item.readers = nullptr;
    if (!link.readers.empty()) {
      Readers readers(*this, link, item, output);
      item.readers = &readers;
      if (!isElsewhere)
        link.stage->run(item);
      readers.advance(link.operands[0].bytes);
    } else if (!isElsewhere) {
      link.stage->run(item);
      if (link.vertices)
        output.endTask(l * kBatchGroups + item.group);
    }
  }
}

void BatchChain::finish(const Replica &replica, std::size_t task) const {
  for (const Link &link : links_) {
    const std::size_t tasks = link.stage->numFinishTasks();
    if (task < tasks)
      return link.stage->finish(replica, task);
    task -= tasks;
  }
}

namespace {

// The vertices that only read what a stage makes, before other stages run.
std::vector<std::size_t> readersOf(const std::vector<ChainLink> &links,
                                   std::size_t stage) {
  std::vector<std::size_t> readers;
  if (links[stage].vertices || links[stage].isAbsorbed)
    return readers;
  for (std::size_t i = stage + 1; i < links.size(); ++i) {
    const ChainLink &next = links[i];
    if (next.isAfterVertices || !(next.isAbsorbed || next.vertices) ||
        readers.size() == kMaxReaders)
      break;
    if (next.vertices && next.items.size() == 1 &&
        next.items[0].offset == links[stage].items[0].offset)
      readers.push_back(i);
  }
  return readers;
}

// Places private operands in scratch memory.
std::vector<BatchChain::Operand>
placeOperands(const ChainLink &link, std::size_t together, Chain &chain,
              std::map<std::size_t, std::size_t> &scratch) {
  std::vector<BatchChain::Operand> operands;
  for (const StageOperands::Item &item : link.items) {
    if (!chain.privates.count(item.offset)) {
      operands.push_back({item.offset, item.bytes, 0, nullptr});
      continue;
    }
    // Threads do not share cache lines.
    const std::size_t groupBytes =
        (together * item.bytes + Buffer::kAlignment - 1) / Buffer::kAlignment *
        Buffer::kAlignment;
    if (!scratch.count(item.offset))
      scratch[item.offset] =
          chain.frame.take(kBatchGroups * groupBytes, Buffer::kAlignment);
    const auto copy = chain.copies.find(item.offset);
    operands.push_back({scratch[item.offset], item.bytes, groupBytes,
                        copy == chain.copies.end() ? nullptr : copy->second});
  }
  return operands;
}

// Bytes of the largest tensor's items that run together: many enough that the
// cost of calling a stage is negligible, few enough that a chain's tensors stay
// in the first caches.
constexpr std::size_t kTogetherBytes = 8192;
// The same if a stage needs many items, and reads much besides them.
constexpr std::size_t kManyTogetherBytes = 24 * 1024;

std::size_t largestItem(const Chain &chain) {
  std::size_t bytes = 1;
  for (const ChainLink &link : chain.links)
    for (const StageOperands::Item &item : link.items)
      bytes = std::max(bytes, item.bytes);
  return bytes;
}

// The number of items that run together: about equal parts of a group, since
// items that are left over run alone.
std::size_t countTogether(const Chain &chain, const MemoryPlan &memory) {
  const std::size_t ofGroup =
      chain.links[0].items[0].view.shape()[0] / kBatchGroups;
  const bool needsMany =
      std::any_of(chain.links.begin(), chain.links.end(),
                  [](const ChainLink &link) { return link.needsMany; });
  const std::size_t bytes = needsMany ? kManyTogetherBytes : kTogetherBytes;
  const std::size_t most = std::max<std::size_t>(1, bytes / largestItem(chain));
  const std::size_t count = ofGroup / ((ofGroup + most - 1) / most);
  const auto can = [&](const ChainLink &link) {
    return link.isLight && !link.vertices &&
           (link.isAbsorbed || link.stage->prepareTogether(count, memory));
  };
  return count > 1 && chain.copies.empty() &&
                 std::all_of(chain.links.begin(), chain.links.end(), can)
             ? count
             : 1;
}

} // namespace

InstructionPtr lowerChain(Chain chain, PlanBuilder &builder) {
  std::map<std::size_t, std::size_t> scratch; // by memory offset
  std::vector<BatchChain::Link> links;
  const std::size_t together = countTogether(chain, builder.memory());
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const ChainLink &link = chain.links[i];
    const StepId step = link.vertices
                            ? link.vertices->place(*link.node, builder)
                            : builder.addStep(link.step, *link.node);
    links.push_back(
        {link.stage, step, placeOperands(link, together, chain, scratch),
         link.isAbsorbed, link.vertices, readersOf(chain.links, i), false});
  }
  for (std::size_t i = 0; i < links.size(); ++i)
    for (const std::size_t reader : links[i].readers)
      links[reader].isReader = true;
  return std::make_shared<BatchChain>(chain.links[0].items[0].view.shape()[0],
                                      together, std::move(links));
}

} // namespace ipumodel
