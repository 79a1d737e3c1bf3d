#include "host/record/tap_log.hpp"

#include "host/command.hpp"
#include "outfeed/rules/tensor_traits_json.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace popscope::host {

namespace {

// Removes "/PREFIXn" from the end of `text` and returns n.
std::optional<unsigned> takeNumber(std::string_view &text,
                                   std::string_view prefix) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos ||
      text.substr(slash + 1, prefix.size()) != prefix)
    return std::nullopt;
  const std::string_view digits = text.substr(slash + 1 + prefix.size());
  unsigned number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  text = text.substr(0, slash);
  return number;
}

// Which statistic of which series a tag holds.
class TagReader {
public:
  TagReader(const outfeed::ProgramFacts &facts, outfeed::CheckSet &checks)
      : checks_(checks) {
    for (const outfeed::TensorTraits &tensor : facts.tensors) {
      outfeed::Tap tap;
      tap.tensor = tensor;
      tensors_.emplace(outfeed::groupedTag(tap).name(), &tensor);
    }
  }

  struct Meaning {
    const outfeed::Series *series = nullptr; // null: it is none of a tap
    Statistic statistic{};
  };
  const Meaning &operator()(std::string_view tag) {
    key_ = tag;
    const auto found = known_.find(key_);
    return found != known_.end()
               ? found->second
               : known_.emplace(key_, read(tag)).first->second;
  }

private:
  Meaning read(std::string_view tag) {
    const std::size_t slash = tag.rfind('/');
    if (slash == std::string_view::npos)
      return {};
    const std::string_view name = tag.substr(slash + 1);
    for (const Statistic statistic : outfeed::kLoggedStatistics)
      if (name == outfeed::nameOf(statistic))
        return {seriesOf(tag.substr(0, slash)), statistic};
    return {};
  }

  const outfeed::Series *seriesOf(std::string_view base) {
    if (const auto tensor = tensors_.find(std::string(base));
        tensor != tensors_.end())
      return checks_.seriesOf(*tensor->second, std::nullopt);
    outfeed::SampleOrigin origin;
    origin.microBatch = takeNumber(base, "micro_batch_").value_or(0);
    const std::optional<unsigned> replica = takeNumber(base, "replica_");
    const auto tensor = tensors_.find(std::string(base));
    if (!replica || tensor == tensors_.end())
      return nullptr;
    origin.replica = *replica;
    return checks_.seriesOf(*tensor->second, origin);
  }

  outfeed::CheckSet &checks_;
  std::unordered_map<std::string, const outfeed::TensorTraits *> tensors_;
  std::unordered_map<std::string, Meaning> known_;
  std::string key_; // keeps its memory between look-ups
};

using OfUpdate = std::map<const outfeed::Series *, outfeed::Observation>;

} // namespace

outfeed::ProgramFacts programFacts(const TrainingPlan &plan) {
  outfeed::ProgramFacts facts;
  facts.replicas = plan.replicas;
  facts.microBatchesPerUpdate = plan.spec.accumulation;
  facts.itemsPerMicroBatch = double(plan.spec.batchSize);
  facts.gradientsAreSummed =
      plan.spec.accumulationMethod == graph::AccumulationMethod::sum;
  facts.lossScale = double(plan.spec.lossScale);
  return facts;
}

outfeed::ProgramFacts programFacts(const text::JsonValue &manifest,
                                   const std::string &run) {
  outfeed::ProgramFacts facts;
  try {
    for (const text::JsonValue &tensor : manifest["tensors"].items())
      facts.tensors.push_back(outfeed::traitsOfJson(tensor));
  } catch (const std::invalid_argument &error) {
    throw BadInput(run + "/popscope.json: " + withoutRoom(error.what()));
  }
  if (facts.tensors.empty())
    throw BadInput(run + ": its popscope.json lists no tensors, because of "
                         "--no-inspection or an older version");
  facts.replicas = manifest["replicas"].count32Or(1);
  facts.microBatchesPerUpdate = manifest["gradient_accumulation"].count32Or(1);
  facts.itemsPerMicroBatch = manifest["batch_size"].numberOr(1);
  facts.gradientsAreSummed = manifest["accumulation_method"].stringOr("") ==
                             accumulationName(graph::AccumulationMethod::sum);
  facts.lossScale = manifest["loss_scale"].numberOr(1);
  return facts;
}

std::vector<std::string> checkLog(const std::filesystem::path &run,
                                  const outfeed::ProgramFacts &facts,
                                  outfeed::CheckSet &checks,
                                  outfeed::Update end) {
  TagReader tags(facts, checks);
  std::map<std::int64_t, OfUpdate> updates;
  summary::RunReader reader(run);
  while (const auto event = reader.next()) {
    // A resumed run makes what an earlier start wrote from here on void.
    if (event->kind == summary::EventKind::sessionLog)
      updates.erase(updates.lower_bound(event->step), updates.end());
    if (event->step >= std::int64_t(end.value()))
      continue;
    for (summary::ValueCursor values(*event);
         const auto value = values.next();) {
      const TagReader::Meaning &meaning = tags(value->tag);
      if (!meaning.series)
        continue;
      if (const auto number = summary::decodeScalar(*value))
        updates[event->step][meaning.series].set(meaning.statistic,
                                                 float(*number));
    }
  }
  for (auto &[step, observations] : updates) {
    outfeed::UpdateObservations update;
    update.update = outfeed::Update(std::uint32_t(step));
    for (const auto &[series, observation] : observations)
      update.all.push_back({series, observation});
    checks.look(std::move(update));
  }
  std::vector<std::string> lines;
  for (const auto &[file, damage] : reader.damages())
    lines.push_back(file.string() + " is damaged; what follows in it was not "
                                    "checked (popscope events doctor)");
  return lines;
}

} // namespace popscope::host
