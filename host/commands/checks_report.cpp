#include "host/commands/checks_report.hpp"

#include "host/plan/options/check_file.hpp"
#include "host/record/health_record.hpp"
#include "host/record/tap_log.hpp"
#include "text/json_object.hpp"

#include <utility>

namespace popscope::host {

namespace {

std::string lineWithEnd(const outfeed::Finding &finding) {
  const std::string line = lineOf(finding);
  if (finding.samples == 1)
    return line;
  return line + "; held at " + text::withThousands(double(finding.samples)) +
         " samples, until update " + std::to_string(finding.last.value());
}

} // namespace

ChecksReport checkRun(const std::string &run, const text::JsonValue &manifest,
                      const std::string &file) {
  ChecksReport report;
  std::vector<outfeed::PlannedCheck> planned = readChecks(file);
  const outfeed::ProgramFacts facts = programFacts(manifest, run);
  outfeed::CheckSet checks(std::move(planned), facts);
  report.damages = checkLog(run, facts, checks);
  report.findings.assign(checks.findings().begin(), checks.findings().end());
  report.made = checks.made();
  report.notChecked = checks.lacking();
  report.measures = checks.measures();
  return report;
}

void print(const ChecksReport &report, std::ostream &out) {
  for (const outfeed::Finding &finding : report.findings)
    out << lineWithEnd(finding) << '\n';
  for (const std::string &line : report.notChecked)
    out << "not checked: " << line << '\n';
  for (const outfeed::Check::Measure &measure : report.measures)
    out << measure.text << '\n';
  if (!report.findings.empty() || report.made.empty())
    return;
  const char *separator = "nothing found by ";
  for (const std::string &name : report.made)
    out << std::exchange(separator, ", ") << name;
  out << '\n';
}

std::string toJson(const ChecksReport &report) {
  text::JsonObject measures;
  for (const outfeed::Check::Measure &measure : report.measures)
    measures.number(measure.name, measure.value);
  text::JsonObject object;
  object.add("findings", text::jsonArray(report.findings,
                                         [](const outfeed::Finding &finding) {
                                           return toJson(finding);
                                         }));
  object.add("made", text::jsonArray(report.made, text::jsonString));
  object.add("not_checked",
             text::jsonArray(report.notChecked, text::jsonString));
  object.add("measures", measures.text());
  return object.text();
}

std::vector<std::string> recordedFindings(const text::JsonValue &manifest) {
  std::vector<std::string> lines;
  for (const outfeed::Finding &finding : findingsOf(manifest))
    lines.push_back(lineWithEnd(finding));
  return lines;
}

} // namespace popscope::host
