// Makes checks on observations of another program: reads one JSON object per
// line from the standard input,
//   {"facts": {...}, "checks": {...}, "samples": [[UPDATE, TENSOR, REPLICA or
//    null, {"l2_norm": 1.5, ...}], ...]}
// with tensors as in popscope.json, and answers each with a line: findings as
// [CHECK, TENSOR, FIRST, LAST, SAMPLES, VALUE], and the measures.
#include "outfeed/checks/check_set.hpp"
#include "outfeed/rules/tensor_traits_json.hpp"
#include "text/json_object.hpp"

#include <exception>
#include <iostream>
#include <map>
#include <string>

namespace {

using namespace popscope;
using namespace popscope::outfeed;

ProgramFacts factsOf(const text::JsonValue &json) {
  ProgramFacts facts;
  for (const text::JsonValue &tensor : json["tensors"].items())
    facts.tensors.push_back(traitsOfJson(tensor));
  facts.replicas = unsigned(json["replicas"].numberOr(1));
  facts.microBatchesPerUpdate = unsigned(json["micro_batches"].numberOr(1));
  facts.itemsPerMicroBatch = json["images"].numberOr(1);
  facts.gradientsAreSummed = json["summed"].boolOr(false);
  facts.lossScale = json["loss_scale"].numberOr(1);
  return facts;
}

std::string answerTo(const std::string &line, const text::JsonValue &trace) {
  const ProgramFacts facts = factsOf(trace["facts"]);
  const std::string key = "\"checks\": ";
  const std::size_t at = line.find(key) + key.size();
  CheckSet checks(parseChecks(line.substr(at, line.rfind('}') - at)), facts);
  std::map<std::uint32_t, std::vector<Observed>> updates;
  for (const text::JsonValue &sample : trace["samples"].items()) {
    const auto &fields = sample.items();
    std::optional<SampleOrigin> origin;
    if (!fields[2].isNull())
      origin = SampleOrigin{unsigned(fields[2].numberOr(0)), 0};
    Observation observation;
    for (const Statistic statistic : kLoggedStatistics)
      if (!fields[3][nameOf(statistic)].isNull())
        observation.set(statistic,
                        float(fields[3][nameOf(statistic)].numberOr(0)));
    updates[std::uint32_t(fields[0].numberOr(0))].push_back(
        {checks.seriesOf(facts.tensors[std::size_t(fields[1].numberOr(0))],
                         origin),
         observation});
  }
  for (auto &[update, observed] : updates)
    checks.look({Update(update), std::move(observed)});
  text::JsonObject measures, answer;
  for (const Check::Measure &measure : checks.measures())
    measures.number(measure.name, measure.value);
  answer.add("findings",
             text::jsonArray(checks.findings(), [](const Finding &finding) {
               return "[" + text::jsonString(finding.check) + ", " +
                      text::jsonString(finding.tensor) + ", " +
                      std::to_string(finding.first.value()) + ", " +
                      std::to_string(finding.last.value()) + ", " +
                      std::to_string(finding.samples) + ", " +
                      text::jsonNumber(finding.value) + "]";
             }));
  answer.add("measures", measures.text());
  return answer.text();
}

} // namespace

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);)
      std::cout << answerTo(line, text::parseJson(line)) << '\n';
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
