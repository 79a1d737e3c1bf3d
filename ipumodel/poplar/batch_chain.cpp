#include "poplar/batch_chain.hpp"

#include "poplar/factory_registry.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ipumodel {

namespace {

// On first use, since libraries register from their static initialisers.
FactoryRegistry<StageFactory> &stages() {
  static FactoryRegistry<StageFactory> registry("stage");
  return registry;
}

constexpr std::size_t kMaxItemOperands = 16;

bool shareVariables(const View &a, const View &b) {
  for (const Block &x : a.blocks())
    for (const Block &y : b.blocks())
      if (x.variable == y.variable)
        return true;
  return false;
}

} // namespace

bool registerStage(const char *kernel, StageFactory factory) {
  return stages().add(kernel, factory);
}

StageFactory findStage(const std::string &kernel) {
  return stages().find(kernel);
}

bool StageOperands::addItems(const View &batchFirst, std::size_t elementSize,
                             Access access) {
  const Shape &shape = batchFirst.shape();
  if (shape.empty() || shape[0] < kBatchGroups || batchFirst.numElements() == 0)
    return false;
  if (items.size() == kMaxItemOperands ||
      (!items.empty() && items[0].view.shape()[0] != shape[0]))
    return false;
  const std::optional<std::size_t> offset =
      builder.contiguousOffset(batchFirst, elementSize);
  if (!offset)
    return false;
  items.push_back({batchFirst, elementSize, access, *offset,
                   batchFirst.numElements() / shape[0] * elementSize});
  return true;
}

BatchChain::BatchChain(std::size_t batch, std::vector<Link> links)
    : batch_(batch), links_(std::move(links)) {
  for (const Link &link : links_)
    numFinishTasks_ += link.stage->numFinishTasks();
}

void BatchChain::run(ExecutionState &state) const {
  for (const Link &link : links_)
    state.count(link.step);
  for (const Replica &replica : state.replicas) {
    for (const Link &link : links_)
      link.stage->prepare(replica, state.pool);
    state.pool.run(kBatchGroups,
                   [&](std::size_t group) { runGroup(replica, group); });
    state.pool.run(numFinishTasks_,
                   [&](std::size_t task) { finish(replica, task); });
  }
}

char *BatchChain::placeOf(const Operand &operand, const Replica &replica,
                          std::size_t group, std::size_t index) {
  if (operand.copy)
    if (char *const place = operand.copy->otherPlace(replica, index))
      return place;
  return operand.isPrivate
             ? replica.scratch.data() + operand.offset + group * operand.bytes
             : replica.memory.data() + operand.offset + index * operand.bytes;
}

void BatchChain::runGroup(const Replica &replica, std::size_t group) const {
  const std::size_t first = batch_ * group / kBatchGroups;
  const std::size_t end = batch_ * (group + 1) / kBatchGroups;
  for (std::size_t index = first; index < end; ++index)
    for (const Link &link : links_) {
      if (link.isAbsorbed)
        continue;
      const bool isElsewhere = link.operands[0].copy == link.stage.get() &&
                               link.stage->otherPlace(replica, index);
      if (isElsewhere)
        continue;
      char *operands[kMaxItemOperands];
      for (std::size_t i = 0; i < link.operands.size(); ++i)
        operands[i] = placeOf(link.operands[i], replica, group, index);
      link.stage->run({index, group, index == first, operands, &replica});
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

bool BatchChainBuilder::add(const ProgramNode &native) {
  const StageFactory factory = findStage(native.op->kernel);
  if (!factory)
    return false;
  if (empty())
    frame_.emplace(builder_.memory());
  StageOperands operands(builder_, *frame_, empty());
  Added next;
  next.node = &native;
  next.stage = factory(*native.op, native.name, operands);
  if (!next.stage)
    return false;
  next.items = std::move(operands.items);
  next.wholes = std::move(operands.wholes);
  next.step = std::move(operands.step);
  if (!fits(next))
    return false;
  next.isAbsorbed = isAbsorbed(next);
  added_.push_back(std::move(next));
  return true;
}

// A stage may use the results of earlier stages for the same item. Any other
// element they share must only be read.
bool BatchChainBuilder::fits(const Added &next) const {
  const auto clash = [](const View &a, Access accessA, const View &b,
                        Access accessB) {
    return (accessA != Access::read || accessB != Access::read) &&
           shareVariables(a, b);
  };
  for (const Added &before : added_) {
    if (before.items[0].view.shape()[0] != next.items[0].view.shape()[0])
      return false;
    for (const StageOperands::Item &a : before.items) {
      for (const StageOperands::Item &b : next.items)
        if (clash(a.view, a.access, b.view, b.access) &&
            (a.offset != b.offset || a.bytes != b.bytes))
          return false;
      for (const StageOperands::Whole &b : next.wholes)
        if (clash(a.view, a.access, b.view, b.access))
          return false;
    }
    for (const StageOperands::Whole &a : before.wholes) {
      for (const StageOperands::Item &b : next.items)
        if (clash(a.view, a.access, b.view, b.access))
          return false;
      for (const StageOperands::Whole &b : next.wholes)
        if (clash(a.view, a.access, b.view, b.access))
          return false;
    }
  }
  return true;
}

// The stage that makes an operand may also do the work of an in-place stage on
// it.
bool BatchChainBuilder::isAbsorbed(const Added &next) {
  for (const StageOperands::Item &item : next.items)
    if (added_.empty() || item.offset != next.items[0].offset)
      return false;
  const auto last =
      std::find_if(added_.rbegin(), added_.rend(),
                   [](const Added &added) { return !added.isAbsorbed; });
  return last->items[0].offset == next.items[0].offset &&
         last->stage->absorb(*next.stage);
}

// True if only this chain uses the tensor, and writes each item before it reads
// it.
bool BatchChainBuilder::isPrivate(const View &view) const {
  std::vector<const ProgramNode *> nodes;
  for (const Added &added : added_)
    nodes.push_back(added.node);
  if (added_.size() < 2 || !accesses_.areOnlyOf(nodes, view))
    return false;
  for (const Added &added : added_) {
    for (const StageOperands::Whole &whole : added.wholes)
      if (shareVariables(whole.view, view))
        return false;
    bool writes = false, reads = false;
    for (const StageOperands::Item &item : added.items)
      if (shareVariables(item.view, view))
        (item.access == Access::write ? writes : reads) = true;
    if (writes || reads)
      return writes && !reads;
  }
  return false;
}

// The stage that copies a private operand, if the other stages can use its
// other place directly: no other stage copies it, none writes it once it is
// there, and none writes the operand before it is copied from there.
const BatchStage *
BatchChainBuilder::copyOf(const StageOperands::Item &item) const {
  const BatchStage *copy = nullptr;
  bool isUsed = false;
  for (const Added &added : added_)
    for (const StageOperands::Item &other : added.items) {
      if (other.offset != item.offset)
        continue;
      if (copy && (added.stage->isCopy() || other.access != Access::read))
        return nullptr;
      if (added.stage->isCopy()) {
        if (isUsed && other.access != Access::read)
          return nullptr;
        copy = added.stage.get();
      }
      isUsed = true;
    }
  return copy;
}

InstructionPtr BatchChainBuilder::finish() {
  std::map<std::size_t, std::size_t>
      privates; // scratch offset by memory offset
  std::vector<BatchChain::Link> links;
  const std::size_t batch = added_[0].items[0].view.shape()[0];
  for (const Added &added : added_) {
    BatchChain::Link link{nullptr,
                          builder_.addStep(added.step, *added.node),
                          {},
                          added.isAbsorbed};
    for (const StageOperands::Item &item : added.items) {
      const bool isOwn = isPrivate(item.view);
      std::size_t offset = item.offset;
      if (isOwn) {
        const auto known = privates.find(item.offset);
        offset =
            known != privates.end()
                ? known->second
                : frame_->take(kBatchGroups * item.bytes, Buffer::kAlignment);
        privates.emplace(item.offset, offset);
      }
      link.operands.push_back(
          {offset, item.bytes, isOwn, isOwn ? copyOf(item) : nullptr});
    }
    links.push_back(std::move(link));
  }
  for (std::size_t i = 0; i < links.size(); ++i)
    links[i].stage = std::move(added_[i].stage);
  added_.clear();
  return std::make_shared<BatchChain>(batch, std::move(links));
}

} // namespace ipumodel
