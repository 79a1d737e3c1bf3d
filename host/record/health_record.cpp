#include "host/record/health_record.hpp"

#include "host/command.hpp"
#include "text/json_object.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace popscope::host {

std::optional<EarlierAlarm> earlierAlarm(const text::JsonValue &manifest,
                                         outfeed::Update firstUpdate) {
  const text::JsonValue &health = manifest["health"];
  const text::JsonValue &verdict = health["first_not_finite"];
  if (verdict.isNull() ||
      verdict["update"].numberOr(firstUpdate.value()) >= firstUpdate.value())
    return std::nullopt;
  EarlierAlarm alarm{toJson(verdict), {}};
  std::vector<std::string> others;
  for (const outfeed::Intervention &each : recordedInterventions(manifest))
    others.push_back(lineOf(each));
  for (const text::JsonValue &json : health["lines"].items())
    if (std::string line = json.stringOr("");
        std::find(others.begin(), others.end(), line) == others.end())
      alarm.lines.push_back(std::move(line));
  return alarm;
}

std::vector<std::string> verdictLines(const HealthRecord &record) {
  if (record.earlier)
    return record.earlier->lines;
  if (!record.verdict)
    return {};
  std::vector<std::string> lines = {firstLine(*record.verdict)};
  for (std::string &line : laterLines(*record.verdict))
    lines.push_back(std::move(line));
  if (!record.dump.empty())
    lines.push_back(record.dump);
  return lines;
}

std::vector<std::string> linesOf(const HealthRecord &record) {
  std::vector<std::string> lines = verdictLines(record);
  for (const outfeed::Intervention &intervention : record.interventions)
    lines.push_back(lineOf(intervention));
  return lines;
}

std::string toJson(const HealthRecord &record) {
  text::JsonObject object;
  object.add("watched", record.isWatched ? "true" : "false");
  object.count("tensors", record.tensors);
  object.add("finished", record.isFinished ? "true" : "false");
  object.add("first_not_finite", record.earlier   ? record.earlier->verdict
                                 : record.verdict ? toJson(*record.verdict)
                                                  : "null");
  if (record.findings)
    object.add("findings", text::jsonArray(*record.findings,
                                           [](const outfeed::Finding &finding) {
                                             return toJson(finding);
                                           }));
  if (!record.interventions.empty())
    object.add("interventions",
               text::jsonArray(record.interventions,
                               [](const outfeed::Intervention &intervention) {
                                 return toJson(intervention);
                               }));
  object.add("lines", text::jsonArray(linesOf(record), text::jsonString));
  return object.text();
}

std::vector<outfeed::Intervention>
recordedInterventions(const text::JsonValue &manifest) {
  std::vector<outfeed::Intervention> interventions;
  try {
    for (const text::JsonValue &json :
         manifest["health"]["interventions"].items())
      interventions.push_back(outfeed::parseIntervention(json));
  } catch (const std::invalid_argument &error) {
    throw BadInput("popscope.json: its interventions cannot be read: " +
                   withoutRoom(error.what()));
  }
  return interventions;
}

std::vector<outfeed::Finding> findingsOf(const text::JsonValue &manifest) {
  std::vector<outfeed::Finding> findings;
  for (const text::JsonValue &json : manifest["health"]["findings"].items()) {
    outfeed::Finding finding;
    finding.check = json["check"].stringOr("");
    finding.tensor = json["tensor"].stringOr("");
    finding.first = outfeed::Update(json["first_update"].count32Or(0));
    finding.last = outfeed::Update(json["last_update"].count32Or(0));
    finding.samples = json["samples"].countOr(1);
    finding.value = json["value"].numberOr(0);
    finding.text = json["text"].stringOr("");
    findings.push_back(std::move(finding));
  }
  return findings;
}

} // namespace popscope::host
