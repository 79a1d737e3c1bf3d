#include "host/report/reported_run.hpp"

#include "host/command.hpp"
#include "host/plan/options/check_file.hpp"
#include "host/record/health_record.hpp"
#include "host/record/tap_log.hpp"
#include "host/report/history_reader.hpp"
#include "host/run/manifest_file.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

// The last word of a path, or all of it if another run has the same.
void nameRuns(std::vector<ReportedRun> &runs) {
  const auto lastWord = [](const ReportedRun &run) {
    fs::path path = fs::path(run.path).lexically_normal();
    if (!path.has_filename())
      path = path.parent_path();
    const std::string word = path.filename().string();
    return word.empty() || word == "." || word == ".." ? run.path : word;
  };
  for (ReportedRun &run : runs) {
    const std::string word = lastWord(run);
    const auto same =
        std::count_if(runs.begin(), runs.end(), [&](const ReportedRun &other) {
          return lastWord(other) == word;
        });
    run.name = same == 1 ? word : run.path;
  }
}

double updatesPerEpoch(const text::JsonValue &manifest) {
  const double batches = manifest["steps_per_epoch"].numberOr(1);
  return batches / std::max(1.0, manifest["gradient_accumulation"].numberOr(1));
}

void check(ReportedRun &run) {
  run.checkedWhileTraining = !run.manifest["health"]["findings"].isNull();
  run.findings = findingsOf(run.manifest);
  if (run.checkedWhileTraining || run.tensors.empty())
    return;
  std::optional<outfeed::ProgramFacts> facts;
  try {
    facts = programFacts(run.manifest, run.path);
  } catch (const BadInput &error) {
    run.notChecked.push_back(error.what());
    return;
  }
  outfeed::CheckSet checks(readChecks("default"), *facts);
  checkLog(run.path, *facts, checks);
  run.findings.assign(checks.findings().begin(), checks.findings().end());
  run.checked = checks.made();
  run.notChecked = checks.lacking();
}

void addFindings(ReportedRun &run) {
  for (const outfeed::Finding &finding : run.findings)
    run.alerts.push_back({finding.first.value(), "check", finding.tensor,
                          finding.check + ": " + finding.text});
  std::stable_sort(
      run.alerts.begin(), run.alerts.end(),
      [](const Alert &a, const Alert &b) { return a.update < b.update; });
}

void refuseDoubles(const std::vector<std::string> &runs) {
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::error_code error; fs::equivalent(runs[i], runs[j], error))
        throw BadInput(runs[i] + ": is named twice; name each run once");
}

} // namespace

std::vector<outfeed::TensorTraits> tensorsOf(const text::JsonValue &manifest,
                                             const std::string &run) {
  if (manifest["tensors"].items().empty())
    return {};
  return programFacts(manifest, run).tensors;
}

Report collectReport(const std::vector<std::string> &paths) {
  refuseDoubles(paths);
  Report report;
  std::vector<HistoryReader> readers;
  for (const std::string &path : paths) {
    ReportedRun run;
    run.path = path;
    run.manifest = readManifest(path);
    readers.emplace_back(path, tensorsOf(run.manifest, path));
    readers.back().findUpdates(report.columns);
    report.runs.push_back(std::move(run));
  }
  for (std::size_t i = 0; i < report.runs.size(); ++i) {
    ReportedRun &run = report.runs[i];
    run.tensors = readers[i].read(report.columns);
    run.notes = readers[i].damages();
    run.curves = readCurves(run.path, updatesPerEpoch(run.manifest));
    run.alerts = readAlerts(run.path, run.manifest);
    check(run);
    addFindings(run);
    if (run.tensors.empty() && run.curves.empty() &&
        !run.manifest["health"]["watched"].boolOr(false))
      throw BadInput(run.path +
                     ": nothing to show: it has recorded neither losses nor "
                     "tensors (popscope train --tap) nor its health");
  }
  nameRuns(report.runs);
  return report;
}

} // namespace popscope::host
