// Samples for TensorBoard: a scalar per statistic, a histogram per tensor.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"
#include "summary/event_writer.hpp"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace popscope::outfeed {

// The group of TensorBoard's pages that has the tensors of a kind:
// tapped_gradients and so on. Groups are sorted by name; these come after
// epoch_loss, evaluation_loss and learning_rate.
const char *tagGroup(graph::TensorKind kind);

// GROUP/NAME: what the tags of a tensor begin with.
summary::Tag groupedTag(const Tap &tap);

// Of an update and its weight that are both tapped, the norm of the one over
// that of the other after the update: GROUP/NAME_update/ratio_to_weight.
constexpr char kRatioToWeight[] = "ratio_to_weight";

// Writes one run. Tags are GROUP/NAME/mean, GROUP/NAME/histogram and so on;
// GROUP is from tagGroup, NAME from tagOf. TensorBoard's step is the number of
// the update. Statistics are those of outfeed/sinks/statistic.hpp: `nan`,
// `pos_inf`, `neg_inf` and `saturated_share` once there is any, the others
// of kLoggedStatistics always. One that a tensor does not have at an update has
// no point there.
class EventSink : public SampleSink {
public:
  // In this directory, from the first sample on. `onLoss` is told when the
  // event file fails; by default that is printed on the standard error stream.
  explicit EventSink(std::string directory, summary::WriteListener onLoss = {});
  // With a writer that others use too; they resume and close it. The source is
  // called at the first sample.
  using WriterSource = std::function<std::shared_ptr<summary::EventWriter>()>;
  // `recorded` is for what the flight recorder kept; without it that is
  // dropped.
  explicit EventSink(WriterSource source, WriterSource recorded = {});

  void resume(Update firstUpdate) override;
  void take(const Tap &tap, Update update, const TensorSample &sample) override;
  // The same points in another run, the directory recorder in that of this one:
  // they may be of updates before others of their tag, where one run must not
  // go back.
  void takeRecorded(const Tap &tap, Update update,
                    const TensorSample &sample) override;
  // The first one of each tap, as the text fired/NAME.
  void takeFiring(const Firing &firing) override;
  // The verdict as the text first_not_finite, and the number of tensors that
  // were bad by then as the scalar tapped_health/not_finite.
  void takeVerdict(const Verdict &verdict) override;
  // As the text `control`.
  void takeChange(const ControlNote &note) override;
  void flush() override;
  // If frames were dropped: frames, bytes and drops as scalars queue/....
  void close(const TapReport &report) override;
  std::vector<summary::WriteReport> reports() const override;

private:
  struct Norm {
    Update update;
    double value;
  };
  // The last norms of a weight and of its update.
  struct NormPair {
    std::optional<Norm> weight, update;
    std::optional<summary::Tag> ratio; // once the update was seen
  };
  struct Series {
    summary::EventWriter *writer;
    std::vector<summary::Tag> tags; // of the scalars
    summary::Tag histogram;
    NormPair *norms; // of a weight or an update
  };

  Series &seriesOf(const Tap &tap);
  NormPair *normsOf(const Tap &tap);
  void takeNorm(const Tap &tap, const Series &series, const Norm &norm);
  summary::EventWriter &writer(); // opened if it is not yet

  EventSink(WriterSource source, bool ownsWriter);

  const WriterSource source_;
  const bool ownsWriter_;
  std::optional<Update> resumed_;
  std::shared_ptr<summary::EventWriter> writer_;
  std::unordered_map<const Tap *, Series> series_;
  std::map<std::string, NormPair> norms_; // by the tag of the weight
  std::set<TapId> fired_;
  std::unique_ptr<EventSink> recorded_; // may be null
  Update lastUpdate_{0};
};

} // namespace popscope::outfeed
