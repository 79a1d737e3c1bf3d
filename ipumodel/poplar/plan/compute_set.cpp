// Long, because objects and columns are two layouts of the same vertices.
#include "poplar/plan/compute_set.hpp"

#include "poplar/codelet/vertex_print.hpp"
#include "poplar/estimate/compute_set_estimate.hpp"
#include "poplar/plan/old_values.hpp"
#include "poplar/program/compute_set_order.hpp"
#include "poplar/vertex/vertex_edges.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <unordered_map>

namespace ipumodel {

namespace {

// Less work than this is done before other threads have woken up.
constexpr std::size_t kParallelWork = 64 * 1024;
constexpr std::size_t kVertexWork = 64; // cost of calling a vertex
constexpr std::size_t kColumnWork = 2;  // the same in a loop over columns
constexpr std::size_t kScratchAlignment = 16;

// Steele, Lea and Flood's splitmix64: different numbers give different ones, of
// which none but 0 is 0.
std::uint64_t mixed(std::uint64_t number) {
  number *= 0x9e3779b97f4a7c15;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

} // namespace

// Lays out the objects of one compute set in the plan.
class ComputeSetBuilder {
public:
  ComputeSetBuilder(Plan &plan, const FusionFacts &facts,
                    const ComputeSetInfo &info, ComputeSetPlan &result)
      : graph_(facts.graph), facts_(facts), plan_(plan), result_(result),
        frame_(plan.memory), oldValues_(graph_, info) {
    result.firstRelocation_ = plan.relocations.size();
  }

  void build(const ComputeSetInfo &info) {
    keepOldValues(info);
    std::vector<std::uint32_t> types; // in order of first use
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> byType;
    for (const std::uint32_t id : info.vertices) {
      std::vector<std::uint32_t> &group = byType[graph_.vertices[id].type];
      if (group.empty())
        types.push_back(graph_.vertices[id].type);
      group.push_back(id);
    }
    for (const std::uint32_t type : types)
      if (!addColumns(info, graph_.vertexTypes[type], byType[type]))
        addGroup(*graph_.vertexTypes[type].codelet, byType[type]);
    // Also of columns: what vertices compute may be worth threads.
    result_.work_ += result_.numVertices_ * kVertexWork;
  }

private:
  std::size_t offsetOf(const Edge &edge, const abi::Field &field) const {
    return plan_.memory.offsetOf(edge.variable) +
           edge.offset * field.elementSize;
  }

  void keepOldValues(const ComputeSetInfo &info) {
    for (const std::uint32_t id : info.vertices)
      forEachEdge(graph_, id, [&](const abi::Field &field, const Edge &edge) {
        if (!oldValues_.include(field, edge, id))
          return;
        const std::size_t at = offsetOf(edge, field);
        if (at % field.minAlign == 0)
          oldValues_.keep(edge, field.elementSize);
      });
    result_.gather_ = oldValues_.place(plan_.memory, frame_);
  }

  char *image(std::size_t position) {
    return plan_.vertexImage.data() + (position - plan_.vertexOffset);
  }

  std::size_t reserve(std::size_t bytes, std::size_t alignment) {
    const std::size_t position = plan_.memory.reserve(bytes, alignment);
    plan_.vertexImage.resize(plan_.memory.size() - plan_.vertexOffset);
    return position;
  }

  void setSize(std::size_t position, std::size_t size) {
    const auto value = static_cast<std::uint32_t>(size);
    std::memcpy(image(position) + offsetof(abi::Span, size), &value,
                sizeof(value));
  }

  // Makes the pointer at `position` point at the edge's elements.
  void pointAtEdge(std::size_t position, const Edge &edge,
                   const abi::Field &field, std::uint32_t vertex) {
    if (edge.count == 0) {
      plan_.relocations.push_back({position, 0, false});
      return;
    }
    const std::size_t size = field.elementSize;
    result_.work_ += edge.count * size;
    if (edge.variable != Edge::kView) {
      const std::size_t at = offsetOf(edge, field);
      if (at % field.minAlign == 0) {
        const bool old = oldValues_.include(field, edge, vertex);
        plan_.relocations.push_back(
            {position, old ? oldValues_.offsetOf(edge, size) : at, old});
        return;
      }
    }
    const std::size_t at =
        frame_.take(edge.count * size,
                    std::max<std::size_t>(field.minAlign, kScratchAlignment));
    plan_.relocations.push_back({position, at, true});
    const View view = viewOf(graph_, edge);
    const View staged = flatView(at, edge.count, size);
    result_.gather_.append(plan_.memory.lowerCopy(staged, view, size));
    if (writes(field.direction))
      result_.scatter_.append(plan_.memory.lowerCopy(view, staged, size));
  }

  void fillEdges(std::size_t position, const abi::Field &field,
                 const FieldValue &value, std::uint32_t vertex) {
    const Edge *edges = graph_.edges.data() + value.value;
    switch (field.form) {
    case abi::Form::scalar:
      pointAtEdge(position, edges[0], field, vertex);
      return;
    case abi::Form::vector:
      pointAtEdge(position, edges[0], field, vertex);
      setSize(position, edges[0].count);
      return;
    case abi::Form::vectorOfScalars:
    case abi::Form::vectorOfVectors:
      break;
    }
    const bool rows = field.form == abi::Form::vectorOfVectors;
    const std::size_t entry = rows ? sizeof(abi::Span) : sizeof(void *);
    const std::size_t table = reserve(value.count * entry, alignof(abi::Span));
    plan_.relocations.push_back({position, table, false});
    setSize(position, value.count);
    for (std::uint32_t i = 0; i < value.count; ++i) {
      pointAtEdge(table + i * entry, edges[i], field, vertex);
      if (rows)
        setSize(table + i * entry, edges[i].count);
    }
  }

  void fillStateVector(std::size_t position, const StateVector &vector,
                       const abi::Field &field) {
    const std::size_t data =
        reserve(vector.elements.size(),
                std::max<std::size_t>(field.minAlign, kScratchAlignment));
    std::copy(vector.elements.begin(), vector.elements.end(), image(data));
    plan_.relocations.push_back({position, data, false});
    setSize(position, vector.count);
  }

  void fillState(std::size_t position, const abi::Field &field,
                 const FieldValue &value) {
    if (value.kind == FieldValue::Kind::stateScalar) {
      std::memcpy(image(position), &value.value, field.elementSize);
      return;
    }
    const StateVector *vectors = graph_.stateVectors.data() + value.value;
    if (field.form == abi::Form::vector) {
      fillStateVector(position, vectors[0], field);
      return;
    }
    const std::size_t table =
        reserve(value.count * sizeof(abi::Span), alignof(abi::Span));
    plan_.relocations.push_back({position, table, false});
    setSize(position, value.count);
    for (std::uint32_t i = 0; i < value.count; ++i)
      fillStateVector(table + i * sizeof(abi::Span), vectors[i], field);
  }

  // From the number of the vertex in the graph: other vertices draw others.
  void seedRandomStates(std::size_t object, const abi::VertexType &type,
                        std::uint32_t vertex) {
    for (std::uint32_t i = 0; i < type.numRandomStates; ++i) {
      const std::uint64_t seed = std::uint64_t(vertex) << 32 | i;
      const abi::RandomState state{{mixed(2 * seed + 1), mixed(2 * seed + 2)}};
      std::memcpy(image(object + type.randomOffset + i * sizeof(state)), &state,
                  sizeof(state));
    }
  }

  const FieldValue &valueOf(std::uint32_t vertex, std::uint32_t field) const {
    return graph_.fields[graph_.vertices[vertex].firstField + field];
  }

  // Where the one element of an edge is; empty if a column cannot have it.
  std::optional<VertexColumns::Place> placeOf(const abi::Field &field,
                                              std::uint32_t vertex,
                                              std::uint32_t index) const {
    const Edge &edge = graph_.edges[valueOf(vertex, index).value];
    if (edge.variable == Edge::kView ||
        offsetOf(edge, field) % field.minAlign != 0)
      return std::nullopt;
    if (!oldValues_.include(field, edge, vertex))
      return VertexColumns::Place{offsetOf(edge, field), false};
    return VertexColumns::Place{oldValues_.offsetOf(edge, field.elementSize),
                                true};
  }

  // Adds the vertices as columns, if they can be.
  bool addColumns(const ComputeSetInfo &info, const VertexType &type,
                  const std::vector<std::uint32_t> &ids) {
    const abi::VertexType &codelet = *type.codelet;
    if (!codelet.runColumns || codelet.numFields > VertexColumns::kMaxFields ||
        !facts_.settings.isOn(FusionPass::columns))
      return false;
    std::optional<VertexColumns> columns;
    const char *why = ids.size() < VertexColumns::kMinVertices
                          ? "they are few"
                          : fillColumns(codelet, ids, columns);
    const std::string text = std::to_string(ids.size()) + " vertices of " +
                             type.name + " in '" + info.name + '\'';
    if (why) {
      facts_.explanation.notFused(FusionPass::columns, text + ": " + why);
      return false;
    }
    facts_.explanation.fused(FusionPass::columns, text + " are one loop");
    result_.groups_.push_back(
        {result_.numVertices_, ids.size(), std::move(columns), nullptr, 0, 0});
    result_.numVertices_ += ids.size();
    result_.relocationEnds_.resize(result_.numVertices_,
                                   plan_.relocations.size());
    return true;
  }

  // Returns why it cannot be done, or null.
  const char *fillColumns(const abi::VertexType &type,
                          const std::vector<std::uint32_t> &ids,
                          std::optional<VertexColumns> &columns) {
    columns.emplace(type);
    std::vector<VertexColumns::Place> places(type.numFields);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (std::uint32_t f = 0; f < type.numFields; ++f) {
        const abi::Field &field = type.fields[f];
        const auto place =
            field.direction == abi::Direction::state
                ? VertexColumns::Place{i * field.elementSize, false}
                : placeOf(field, ids[i], f);
        if (!place)
          return "an element is not where it can be used";
        places[f] = *place;
      }
      if (!columns->add(places.data()))
        return "one writes an element that another field of it has";
    }
    if (!columns->isRegular())
      return "their elements are scattered";
    for (std::uint32_t f = 0; f < type.numFields; ++f)
      if (type.fields[f].direction == abi::Direction::state)
        columns->move(f, placeState(type.fields[f], ids, f));
    return nullptr;
  }

  // The offset of an array of the values of a field.
  std::size_t placeState(const abi::Field &field,
                         const std::vector<std::uint32_t> &ids,
                         std::uint32_t index) {
    const std::size_t size = field.elementSize;
    const std::size_t array = reserve(ids.size() * size, Buffer::kAlignment);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const FieldValue &value = valueOf(ids[i], index);
      if (value.kind == FieldValue::Kind::stateScalar)
        std::memcpy(image(array + i * size), &value.value, size);
    }
    return array;
  }

  void addGroup(const abi::VertexType &type,
                const std::vector<std::uint32_t> &ids) {
    const std::size_t stride =
        (type.size + type.align - 1) / type.align * type.align;
    const std::size_t objects = reserve(ids.size() * stride, type.align);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (std::uint32_t f = 0; f < type.numFields; ++f) {
        const abi::Field &field = type.fields[f];
        const FieldValue &value = valueOf(ids[i], f);
        const std::size_t position = objects + i * stride + field.offset;
        if (value.kind == FieldValue::Kind::edges)
          fillEdges(position, field, value, ids[i]);
        else if (value.kind != FieldValue::Kind::none)
          fillState(position, field, value);
      }
      seedRandomStates(objects + i * stride, type, ids[i]);
      result_.relocationEnds_.push_back(plan_.relocations.size());
    }
    result_.groups_.push_back({result_.numVertices_, ids.size(), std::nullopt,
                               type.run, objects, stride});
    result_.numVertices_ += ids.size();
  }

  const GraphData &graph_;
  const FusionFacts &facts_;
  Plan &plan_;
  ComputeSetPlan &result_;
  ScratchFrame frame_;
  OldValues oldValues_;
};

ComputeSetPlan::ComputeSetPlan(PlanBuilder &builder, Plan &plan,
                               const FusionFacts &facts,
                               const ProgramNode &execute) {
  const ComputeSetInfo &info = builder.graph().computeSets[execute.id];
  ComputeSetBuilder(plan, facts, info, *this).build(info);
  const ComputeSetEstimate estimate(builder.graph(), info,
                                    builder.executable().vertexCycles);
  step_ = builder.addStep({"Execute", info.name, estimate.cycles(),
                           estimate.exchange().bytes(), execute.id},
                          execute);
  const ComputeSetOrder order = orderParts(builder.graph(), info);
  for (const ProgramPtr &native : order.beforeVertices)
    beforeVertices_.push_back(builder.compile(native));
  for (const ProgramPtr &native : order.afterVertices)
    afterVertices_.push_back(builder.compile(native));
}

std::vector<ItemPointer>
ComputeSetPlan::pointersTo(const std::vector<ChainItems> &items,
                           const Plan &plan) const {
  std::vector<ItemPointer> pointers;
  std::size_t r = firstRelocation_;
  for (std::size_t vertex = 0; vertex < numVertices_; ++vertex)
    for (; r < relocationEnds_[vertex]; ++r) {
      const Relocation &to = plan.relocations[r];
      for (std::size_t i = 0; i < items.size(); ++i) {
        const std::size_t at = to.target - items[i].offset;
        if (to.inScratch || at >= items[i].batch * items[i].bytes)
          continue;
        pointers.push_back(
            {vertex, to.position, to.target, i, at % items[i].bytes});
        break;
      }
    }
  return pointers;
}

void ComputeSetPlan::run(ExecutionState &state,
                         const std::optional<std::size_t> &exitStatus) const {
  state.count(step_);
  for (const InstructionPtr &native : beforeVertices_)
    native->run(state);
  for (const Replica &replica : state.replicas) {
    const bool status = runReplica(state, replica);
    if (exitStatus)
      replica.memory.data()[*exitStatus] = status;
  }
  for (const InstructionPtr &native : afterVertices_)
    native->run(state);
}

bool ComputeSetPlan::runReplica(ExecutionState &state,
                                const Replica &replica) const {
  char *const memory = replica.memory.data();
  gather_.run(replica.scratch.data(), memory, state.pool);
  const bool alone = work_ < kParallelWork || state.pool.numThreads() == 1;
  const std::size_t tasks =
      alone ? 1
            : std::min<std::size_t>(numVertices_,
                                    std::size_t(state.pool.numThreads()) * 8);
  VertexOutput output(tasks);
  std::atomic<bool> all{true};
  state.pool.run(tasks, [&](std::size_t task) {
    if (!runRange(replica, numVertices_ * task / tasks,
                  numVertices_ * (task + 1) / tasks))
      all.store(false, std::memory_order_relaxed);
    output.endTask(task);
  });
  output.show(*state.printStream);
  scatter_.run(memory, replica.scratch.data(), state.pool);
  return all;
}

bool ComputeSetPlan::runRange(const Replica &replica, std::size_t begin,
                              std::size_t end) const {
  bool all = true;
  for (const Group &group : groups_) {
    const std::size_t from = std::max(begin, group.first);
    const std::size_t to = std::min(end, group.first + group.count);
    if (from >= to)
      continue;
    const bool status =
        group.columns
            ? group.columns->run(replica, from - group.first, to - group.first)
            : group.run(replica.memory.data() + group.offset, group.stride,
                        from - group.first, to - group.first);
    all = status && all;
  }
  return all;
}

void ExecuteInstruction::run(ExecutionState &state) const {
  computeSet_->run(state, exitStatus_);
}

} // namespace ipumodel
