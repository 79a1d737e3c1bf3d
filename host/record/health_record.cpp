#include "host/record/health_record.hpp"

#include "text/json_object.hpp"

namespace popscope::host {

std::optional<EarlierAlarm> earlierAlarm(const text::JsonValue &manifest,
                                         outfeed::Update firstUpdate) {
  const text::JsonValue &health = manifest["health"];
  const text::JsonValue &verdict = health["first_not_finite"];
  if (verdict.isNull() ||
      verdict["update"].numberOr(firstUpdate.value()) >= firstUpdate.value())
    return std::nullopt;
  EarlierAlarm alarm{toJson(verdict), {}};
  for (const text::JsonValue &line : health["lines"].items())
    alarm.lines.push_back(line.stringOr(""));
  return alarm;
}

std::vector<std::string> linesOf(const HealthRecord &record) {
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
  object.add("lines", text::jsonArray(linesOf(record), text::jsonString));
  return object.text();
}

} // namespace popscope::host
