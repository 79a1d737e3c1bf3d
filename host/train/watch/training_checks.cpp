#include "host/train/watch/training_checks.hpp"

#include "host/command.hpp"
#include "host/plan/options/check_file.hpp"
#include "host/record/tap_log.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace popscope::host {

TrainingChecks::TrainingChecks(const TrainOptions &options,
                               const TrainingPlan &plan, RunReport &report)
    : report_(report), facts_(programFacts(plan)) {
  if (options.inspection.checks.empty())
    return;
  planned_ = readChecks(options.inspection.checks);
  taps_ = outfeed::tapsOf(planned_, facts_);
  mayStop_ = std::any_of(planned_.begin(), planned_.end(),
                         [](const outfeed::PlannedCheck &planned) {
                           return planned.has(outfeed::CheckAction::stop);
                         });
  for (const outfeed::PlannedCheck &planned : planned_)
    for (const outfeed::CheckAction action :
         {outfeed::CheckAction::sample, outfeed::CheckAction::dump})
      if (options.inspection.noControl && planned.has(action))
        throw BadInput("--no-control: the action '" +
                       std::string(nameOf(action)) + "' of " +
                       planned.check->name() + " in " +
                       options.inspection.checks + " needs control");
}

std::unique_ptr<outfeed::SampleSink>
TrainingChecks::makeSink(outfeed::Fold fold,
                         outfeed::EventSink::WriterSource log) {
  outfeed::CheckSinkOptions options;
  options.facts = facts_;
  options.fold = fold;
  options.log = std::move(log);
  options.listener.found = [this](const outfeed::Finding &finding) {
    found(finding);
  };
  options.listener.act = [this](const outfeed::DueAction &due) { act(due); };
  options.listener.looked = [this](outfeed::Update update) {
    if (actions_)
      actions_->advance(update);
  };
  auto sink =
      std::make_unique<outfeed::CheckSink>(std::move(planned_), options);
  sink_ = sink.get();
  return sink;
}

void TrainingChecks::connect(const outfeed::TapPlan &plan,
                             outfeed::TapControl *control) {
  if (control)
    actions_.emplace(plan, *control);
}

void TrainingChecks::act(const outfeed::DueAction &due) {
  using outfeed::CheckAction;
  try {
    if (actions_)
      actions_->act(due);
  } catch (const std::invalid_argument &error) {
    report_.note(due.finding.check + ": " + withoutRoom(error.what()));
  }
  if (due.action != CheckAction::stop || asksToStop_)
    return;
  stopCause_ = "the check " + due.finding.check;
  asksToStop_ = true;
}

void TrainingChecks::found(const outfeed::Finding &finding) {
  if (lines_++ < kMostLines)
    report_.note(lineOf(finding));
  else if (lines_ == kMostLines + 1)
    report_.note("further findings of checks are not printed");
  if (onFinding_)
    onFinding_();
}

void TrainingChecks::resumeAt(const std::filesystem::path &run,
                              outfeed::Update update) {
  if (!checks())
    return;
  sink_->replay(
      [&](const outfeed::ProgramFacts &facts, outfeed::CheckSet &checks) {
        for (const std::string &line : checkLog(run, facts, checks, update))
          report_.note(line);
      });
}

std::optional<std::vector<outfeed::Finding>> TrainingChecks::findings() const {
  if (!checks())
    return std::nullopt;
  const auto &all = checks()->findings();
  return std::vector<outfeed::Finding>(all.begin(), all.end());
}

void TrainingChecks::finish(const std::filesystem::path &run) {
  if (!checks())
    return;
  for (const std::string &line : checks()->lacking())
    report_.note("not checked: " + line);
  const std::size_t number = checks()->findings().size();
  if (number != 0)
    report_.note(text::withThousands(double(number)) +
                 (number == 1 ? " finding" : " findings") +
                 " of checks; to see them: popscope health " + run.string());
}

} // namespace popscope::host
