#include "poplar/plan/batch_chain.hpp"

#include "poplar/codelet/vertex_print.hpp"
#include "poplar/program/program_walk.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ipumodel {

namespace {

constexpr std::size_t kMaxReaders = 8; // of one stage

bool shareVariables(const View &a, const View &b) {
  for (const Block &x : a.blocks())
    for (const Block &y : b.blocks())
      if (x.variable == y.variable)
        return true;
  return false;
}

} // namespace

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
  return operand.isPrivate
             ? replica.scratch.data() + operand.offset + group * operand.bytes
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
  for (std::size_t index = first; index < end; ++index)
    for (std::size_t l = 0; l < links_.size(); ++l) {
      const Link &link = links_[l];
      if (link.isAbsorbed || link.isReader)
        continue;
      char *operands[kMaxItemOperands];
      BatchItem item{index, group, index == first, operands, nullptr, &replica};
      const bool isElsewhere = link.operands[0].copy == link.stage.get() &&
                               link.stage->otherPlace(replica, index);
      if (!isElsewhere)
        findPlaces(link, replica, group, index, operands);
      if (!link.readers.empty()) {
        Readers readers(*this, link, item, output);
        item.readers = &readers;
        if (!isElsewhere)
          link.stage->run(item);
        readers.advance(link.operands[0].bytes);
      } else if (!isElsewhere) {
        link.stage->run(item);
        if (link.vertices)
          output.endTask(l * kBatchGroups + group);
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

bool BatchChainBuilder::add(const ProgramNode &native) {
  if (empty())
    frame_.emplace(builder_.memory());
  StageOperands operands(builder_, *frame_, StageOperands::Items::inPlace,
                         empty());
  Added next;
  next.node = &native;
  next.stage = native.op->what->stage(*native.op, native.name, operands);
  if (!next.stage)
    return false;
  next.items = std::move(operands.items);
  next.wholes = std::move(operands.wholes);
  next.step = std::move(operands.step);
  if (!fits(next))
    return false;
  absorb(next);
  added_.push_back(std::move(next));
  return true;
}

bool BatchChainBuilder::addVertices(const ProgramNode &execute) {
  if (empty())
    return false;
  std::vector<StageOperands::Item> items;
  for (const Added &added : added_)
    items.insert(items.end(), added.items.begin(), added.items.end());
  StageOperands operands(builder_, *frame_, StageOperands::Items::inPlace,
                         false);
  std::unique_ptr<ItemVertices> vertices =
      ItemVertices::make(execute, items, operands);
  if (!vertices || operands.items.size() > kMaxItemOperands)
    return false;
  Added next;
  next.node = &execute;
  next.vertices = vertices.get();
  next.stage = std::move(vertices);
  next.items = std::move(operands.items);
  next.wholes = std::move(operands.wholes);
  if (!fits(next))
    return false;
  added_.push_back(std::move(next));
  return true;
}

void BatchChainBuilder::skip(const ProgramPtr &program) {
  for (const ProgramNode *node : nodesOf({program}))
    skipped_.push_back({node, added_.size()});
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
void BatchChainBuilder::absorb(Added &next) {
  const std::size_t offset = next.items[0].offset;
  for (const StageOperands::Item &item : next.items)
    if (item.offset != offset)
      return;
  std::size_t readers = 0; // vertices that must not see the work of the stage
  for (auto last = added_.rbegin(); last != added_.rend(); ++last) {
    if (last->isAfterVertices)
      return;
    if (last->isAbsorbed)
      continue;
    if (last->vertices) {
      const bool reads =
          std::any_of(last->items.begin(), last->items.end(),
                      [&](const auto &item) { return item.offset == offset; });
      if (reads && last->items.size() != 1)
        return;
      readers += reads;
      continue;
    }
    if (last->items[0].offset != offset || readers > kMaxReaders)
      return;
    next.isAbsorbed = readers == 0
                          ? last->stage->absorb(*next.stage)
                          : last->stage->absorbAfterVertices(*next.stage);
    next.isAfterVertices = next.isAbsorbed && readers != 0;
    return;
  }
}

// The vertices that only read what a stage makes, before other stages run.
std::vector<std::size_t> BatchChainBuilder::readersOf(std::size_t stage) const {
  std::vector<std::size_t> readers;
  if (added_[stage].vertices || added_[stage].isAbsorbed)
    return readers;
  for (std::size_t i = stage + 1; i < added_.size(); ++i) {
    const Added &next = added_[i];
    if (next.isAfterVertices || !(next.isAbsorbed || next.vertices) ||
        readers.size() == kMaxReaders)
      break;
    if (next.vertices && next.items.size() == 1 &&
        next.items[0].offset == added_[stage].items[0].offset)
      readers.push_back(i);
  }
  return readers;
}

// True if only this chain uses the tensor, and writes each item before it, or
// anything skipped, reads it.
bool BatchChainBuilder::isPrivate(const View &view) const {
  if (added_.size() < 2)
    return false;
  std::size_t first = 0; // operation that uses it
  bool writes = false;
  for (; first < added_.size() && !writes; ++first) {
    for (const StageOperands::Whole &whole : added_[first].wholes)
      if (shareVariables(whole.view, view))
        return false;
    bool reads = false;
    for (const StageOperands::Item &item : added_[first].items)
      if (shareVariables(item.view, view))
        (item.access == Access::write ? writes : reads) = true;
    if (reads)
      return false;
  }
  std::vector<const ProgramNode *> nodes;
  for (const Added &added : added_)
    nodes.push_back(added.node);
  for (const Skipped &skipped : skipped_)
    if (skipped.position >= first)
      nodes.push_back(skipped.node);
  return writes && accesses_.areOnlyOf(nodes, view);
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
  for (std::size_t i = 0; i < added_.size(); ++i) {
    const Added &added = added_[i];
    BatchChain::Link link{
        nullptr, 0, {}, added.isAbsorbed, added.vertices, readersOf(i), false};
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
    link.step = added.vertices
                    ? added.vertices->place(*added.node, builder_, added.items)
                    : builder_.addStep(added.step, *added.node);
    links.push_back(std::move(link));
  }
  for (const BatchChain::Link &link : links)
    for (const std::size_t reader : link.readers)
      links[reader].isReader = true;
  for (std::size_t i = 0; i < links.size(); ++i)
    links[i].stage = std::move(added_[i].stage);
  added_.clear();
  skipped_.clear();
  return std::make_shared<BatchChain>(batch, std::move(links));
}

} // namespace ipumodel
