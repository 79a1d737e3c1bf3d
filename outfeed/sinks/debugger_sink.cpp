#include "outfeed/sinks/debugger_sink.hpp"

#include "outfeed/health/point_graph.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

namespace {

// An update's samples have arrived when those of this many later ones do.
constexpr std::uint32_t kUpdatesToWait = 2;

summary::ElementType elementTypeOf(const std::string &dtype) {
  using summary::ElementType;
  if (dtype == "half")
    return ElementType::float16;
  if (dtype == "int")
    return ElementType::int32;
  return dtype == "unsigned" ? ElementType::uint32 : ElementType::float32;
}

std::string shapeText(const std::vector<std::size_t> &shape) {
  std::string text = "[";
  for (const std::size_t dimension : shape)
    text += (text.size() > 1 ? "," : "") + std::to_string(dimension);
  return text + "]";
}

std::string lineOf(const PointGraph &points, std::size_t point) {
  const TensorTraits &tensor = points.point(point);
  std::string inputs;
  for (const PointGraph::Input &input : points.inputs(point))
    inputs += (inputs.empty() ? "" : ", ") + tagOf(points.point(input.point));
  return tagOf(tensor) + " = " + nameOf(tensor.kind) + "(" + inputs + ")  # " +
         tensor.dtype + shapeText(tensor.shape) + ", stage " +
         std::to_string(tensor.stage);
}

summary::HealthCounts healthCounts(const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  summary::HealthCounts health{
      stats.count, stats.negInf, stats.posInf, stats.nan, {}};
  if (sample.payload >= Payload::stats)
    health.signs = {stats.negative, stats.zero, stats.positive};
  return health;
}

} // namespace

summary::DebuggedProgram debuggedProgram(const TapPlan &plan) {
  summary::DebuggedProgram program;
  program.name = "update";
  program.source = {"# One update of the weights: its tensors, in the order in "
                    "which they are complete,",
                    "# and the tensors that each is computed from."};
  const PointGraph points(plan.tensors());
  // A tensor that the program completes several times is one op.
  std::unordered_map<std::string, std::size_t> ops;
  std::vector<std::size_t> pointOfOp;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (ops.emplace(tagOf(points.point(i)), pointOfOp.size()).second)
      pointOfOp.push_back(i);
  for (const std::size_t point : pointOfOp) {
    const TensorTraits &tensor = points.point(point);
    program.source.push_back(lineOf(points, point));
    summary::DebuggedOp op;
    op.name = tagOf(tensor);
    op.type = nameOf(tensor.kind);
    for (const PointGraph::Input &input : points.inputs(point))
      op.inputs.push_back(ops.at(tagOf(points.point(input.point))));
    op.device = "/device:IPU:" + std::to_string(tensor.stage);
    op.elementType = elementTypeOf(tensor.dtype);
    op.rank = tensor.shape.size();
    op.line = program.source.size();
    program.ops.push_back(std::move(op));
  }
  return program;
}

DebuggerSink::DebuggerSink(std::string directory, summary::WriteListener onLoss,
                           std::vector<TensorFilter> infinitiesIntended)
    : directory_(std::move(directory)), onLoss_(std::move(onLoss)),
      infinitiesIntended_(std::move(infinitiesIntended)) {}

summary::HealthCounts DebuggerSink::healthOf(const Tap &tap,
                                             const TensorSample &sample) const {
  summary::HealthCounts health = healthCounts(sample);
  const bool isIntended = std::any_of(
      infinitiesIntended_.begin(), infinitiesIntended_.end(),
      [&](const TensorFilter &filter) { return filter.matches(tap.tensor); });
  if (!isIntended)
    return health;
  if (health.signs) {
    health.signs->negative += health.negInf;
    health.signs->positive += health.posInf;
  }
  health.negInf = health.posInf = 0;
  return health;
}

void DebuggerSink::begin(const TapPlan &plan) {
  program_ = debuggedProgram(plan);
  for (std::size_t op = 0; op < program_.ops.size(); ++op)
    opOfTag_.emplace(program_.ops[op].name, op);
  last_.resize(program_.ops.size());
}

summary::DebuggerLog &DebuggerSink::log() {
  if (!log_) {
    summary::DebuggerLogOptions options;
    options.onFailure = onLoss_;
    if (resumed_)
      options.resumeAt = summary::Step(resumed_->value());
    log_ = std::make_unique<summary::DebuggerLog>(directory_, program_,
                                                  std::move(options));
  }
  return *log_;
}

std::size_t DebuggerSink::opOf(const Tap &tap) {
  const auto found = opOfTap_.find(&tap);
  if (found != opOfTap_.end())
    return found->second;
  return opOfTap_.emplace(&tap, opOfTag_.at(tagOf(tap.tensor))).first->second;
}

void DebuggerSink::take(const Tap &tap, Update update,
                        const TensorSample &sample) {
  while (!open_.empty() &&
         open_.begin()->first + kUpdatesToWait <= update.value())
    writeFirst();
  OfUpdate &ofUpdate = open_[update.value()];
  ofUpdate.resize(program_.ops.size());
  std::optional<Known> &known = ofUpdate[opOf(tap)];
  const Known given{tap.id, sample.payload, healthOf(tap, sample)};
  if (known && known->tap == given.tap)
    known->health.add(given.health); // another micro-batch or replica, apart
  else if (!known || known->payload < given.payload)
    known = given;
}

bool DebuggerSink::hasTurned(std::size_t op, const Known &known) const {
  return !last_[op] || last_[op]->isBad() != known.health.isBad();
}

void DebuggerSink::writeFirst() {
  const auto first = open_.begin();
  const summary::Step step(first->first);
  const OfUpdate &tensors = first->second;
  bool anyTurned = false;
  for (std::size_t op = 0; op < tensors.size(); ++op)
    anyTurned = anyTurned || (tensors[op] && hasTurned(op, *tensors[op]));
  summary::HealthCounts all;
  for (std::size_t op = 0; op < tensors.size(); ++op) {
    if (!tensors[op])
      continue;
    const summary::HealthCounts &health = tensors[op]->health;
    all.add(health);
    if (anyTurned || health.signs || health != *last_[op])
      log().trace(op, step, health);
    last_[op] = health;
  }
  log().execution(step, all);
  open_.erase(first);
}

void DebuggerSink::flush() {
  while (!open_.empty())
    writeFirst();
  if (log_)
    log_->flush();
}

void DebuggerSink::close(const TapReport &) { flush(); }

std::vector<summary::WriteReport> DebuggerSink::reports() const {
  if (!log_)
    return {};
  return {log_->report()};
}

} // namespace popscope::outfeed
