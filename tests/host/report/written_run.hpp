// A run's directory with a popscope.json and event files, as a training leaves
// them.
#pragma once

#include "outfeed/rules/tensor_traits_json.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "summary/event_writer.hpp"
#include "tests/support/temp_dir.hpp"
#include "text/json_object.hpp"
#include "text/json_value.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace popscope::host::tests {

inline outfeed::Tap
tapOf(const std::string &name, graph::TensorKind kind,
      graph::TapMoment moment = graph::TapMoment::microBatch) {
  outfeed::Tap tap;
  tap.tensor.name = name;
  tap.tensor.kind = kind;
  tap.tensor.moment = moment;
  tap.tensor.dtype = "float";
  tap.tensor.shape = {2};
  tap.tensor.numElements = 2;
  return tap;
}

class WrittenRun {
public:
  explicit WrittenRun(std::vector<outfeed::Tap> taps) : taps_(std::move(taps)) {
    describe("null");
  }

  std::filesystem::path path() const { return directory_.path(); }

  // Another popscope.json, whose health is this.
  void describe(const std::string &health) {
    directory_.file("popscope.json", manifestText(health));
  }
  text::JsonValue manifest() const {
    return text::parseJson(manifestText("null"));
  }

  // A start of the program writes its own event file.
  using Updates = std::vector<std::vector<float>>;
  void write(std::size_t tap, unsigned firstUpdate, const Updates &updates,
             const std::string &folder = "") {
    outfeed::EventSink sink((path() / folder).string());
    if (firstUpdate != 0)
      sink.resume(outfeed::Update(firstUpdate));
    for (std::size_t i = 0; i < updates.size(); ++i)
      sink.take(taps_[tap], outfeed::Update(firstUpdate + unsigned(i)),
                outfeed::sampleOfFloats(updates[i]));
    sink.close({});
  }
  void writeScalars(const std::string &folder, const std::string &tag,
                    const std::vector<std::pair<int, float>> &points) {
    summary::EventWriter writer((path() / folder).string());
    for (const auto &[step, value] : points)
      writer.scalar(summary::Tag(tag), summary::Step(step), value);
    (void)writer.close();
  }

private:
  std::string manifestText(const std::string &health) const {
    text::JsonObject object;
    object.string("model", "cnn");
    object.add("layers", R"([{"name": "conv_0"}, {"name": "dense"}])");
    object.count("steps_per_epoch", 8);
    object.count("gradient_accumulation", 2);
    object.add("health", health);
    object.add("tensors", text::jsonArray(taps_, [](const outfeed::Tap &tap) {
                 return toJson(tap.tensor);
               }));
    return object.text();
  }

  popscope::tests::TempDir directory_;
  std::vector<outfeed::Tap> taps_;
};

} // namespace popscope::host::tests
