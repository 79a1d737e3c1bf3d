#include "host/train/state/resume_point.hpp"

#include "host/command.hpp"
#include "text/quoting.hpp"

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace popscope::host {

namespace {

// Of TrainingPlan::describe().
constexpr char kLearningRate[] = "learning rate ";
constexpr char kExecution[] = "batches per execution ";
constexpr char kModelFile[] = "of a file ";

bool beginsWith(const std::string &line, const std::string &with) {
  return line.rfind(with, 0) == 0;
}

std::vector<std::string> linesOf(const std::string &description) {
  std::istringstream in(description);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

// Takes the setting out of the lines. A checkpoint without it is of another
// version.
std::string take(const std::string &name, std::vector<std::string> &lines) {
  for (auto line = lines.begin(); line != lines.end(); ++line)
    if (beginsWith(*line, name)) {
      const std::string value = line->substr(name.size());
      lines.erase(line);
      return value;
    }
  return "";
}

// If that fits: the epoch and the update may be others, which are refused then.
void setExecution(TrainingPlan &plan, const std::string &batches) {
  const unsigned long execution = std::strtoul(batches.c_str(), nullptr, 10);
  const unsigned update = plan.spec.accumulation;
  if (execution == 0 || execution % update != 0 ||
      plan.batchesPerEpoch % execution != 0)
    return;
  plan.batchesPerExecution = unsigned(execution);
  plan.spec.updatesPerRun = plan.batchesPerExecution / update;
}

// The option that decides a line of the description.
std::string optionOf(const std::string &line) {
  constexpr std::pair<const char *, const char *> kOptions[] = {
      {"model ", "--preset"},
      {"layer ", "--pipeline-stages"},
      {kModelFile, "--model"},
      {"optimizer ", "--optimizer"},
      {"batch size ", "--batch-size"},
      {"accumulation method ", "--accumulation-method"},
      {"accumulation ", "--gradient-accumulation"},
      {"pipelined ", "--pipeline-stages"},
      {"precision ", "--precision"},
      {"loss scale ", "--loss-scale"},
      {"replicas ", "--replicas"},
      {"batches per epoch ", "--steps-per-epoch"},
      {kExecution, "--steps-per-execution"},
      {"seed ", "--seed"},
      {"checksum of the training set ", "--data"}};
  for (const auto &[begin, option] : kOptions)
    if (beginsWith(line, begin))
      return option;
  return "what is different";
}

std::string shown(const std::string &line) {
  return beginsWith(line, kModelFile) ? "another model file" : line;
}

void requireSame(const RunDirectory &run, const TrainOptions &options,
                 const std::vector<std::string> &before,
                 const std::vector<std::string> &now) {
  for (std::size_t i = 0; i < before.size() || i < now.size(); ++i) {
    const std::string was = i < before.size() ? before[i] : "nothing more";
    const std::string is = i < now.size() ? now[i] : "nothing more";
    if (was == is)
      continue;
    const std::string path = run.path().string();
    throw BadInput("--resume: " + path + " was trained with other options: " +
                   (shown(was) == shown(is)
                        ? shown(was)
                        : shown(was) + ", now " + shown(is)) +
                   (options.resumedRun.empty()
                        ? "; popscope train --resume " + text::shellWord(path) +
                              " goes on with its own"
                        : "; the rest would not fit what is trained: leave " +
                              optionOf(i < now.size() ? is : was) +
                              " out, or begin another run"));
  }
}

std::string changeOf(const LearningRateSchedule &now, const std::string &before,
                     unsigned epoch, const TrainingPlan &plan) {
  return "--learning-rate " + now.text() + " from epoch " +
         std::to_string(epoch + 1) + " on, before " + before +
         (epoch >= plan.epochs ? "; that is after the last one: --epochs can "
                                 "ask for more"
                               : "");
}

} // namespace

bool trainAlike(const std::string &description, const std::string &other) {
  std::vector<std::string> lines = linesOf(description),
                           otherLines = linesOf(other);
  (void)take(kExecution, lines);
  (void)take(kExecution, otherLines);
  return lines == otherLines;
}

ResumePoint resumePointOf(RunDirectory &run, const TrainOptions &options,
                          TrainingPlan &plan) {
  ResumePoint point;
  if (!run.isResumed())
    return point;
  Checkpoint checkpoint = readCheckpoint(run.checkpoint());
  std::vector<std::string> before = linesOf(checkpoint.plan);
  if (!options.batchesPerExecution) {
    std::vector<std::string> lines = before;
    setExecution(plan, take(kExecution, lines));
  }
  std::vector<std::string> now = linesOf(plan.describe());
  const std::string rateBefore = take(kLearningRate, before);
  (void)take(kLearningRate, now);
  requireSame(run, options, before, now);

  const std::uint64_t done = checkpoint.done.value();
  if (done > std::uint64_t(plan.epochs) * plan.batchesPerEpoch)
    throw BadInput("--resume: " + run.path().string() + " has had " +
                   std::to_string(done / plan.batchesPerEpoch) +
                   " epochs already, more than --epochs " +
                   std::to_string(plan.epochs));
  run.setFirstEpoch(Epoch(unsigned(done / plan.batchesPerEpoch)));

  const LearningRateSchedule given = plan.schedule;
  const auto trained = LearningRateSchedule::parse(rateBefore);
  const auto next =
      unsigned((done + plan.batchesPerEpoch - 1) / plan.batchesPerEpoch);
  plan.schedule = trained;
  const auto changed = trained.changedAt(next, given);
  // Both without rates that repeat the one before.
  if (options.learningRates &&
      changed.text() != trained.changedAt(next, trained).text()) {
    plan.schedule = changed;
    point.changes.push_back(changeOf(given, rateBefore, next, plan));
  }
  plan.spec.optimizer.learningRate = plan.schedule.at(0);
  point.checkpoint = std::move(checkpoint);
  return point;
}

} // namespace popscope::host
