// Writes TensorBoard logs. This is the header to start from:
//
//   EventWriter writer("logs/train");
//   writer.scalar(Tag("loss"), Step(1), 0.5F);
//   writer.histogram(Tag("weights"), Step(1), weights);
//
// and then `tensorboard --logdir logs`.
#pragma once

#include "summary/encoding/event_encoder.hpp"
#include "summary/event_batch.hpp"
#include "summary/event_log.hpp"
#include "summary/event_writer_options.hpp"
#include "summary/exit_flush.hpp"
#include "summary/span.hpp"
#include "summary/tag.hpp"
#include "summary/tag_table.hpp"
#include "summary/types.hpp"
#include "summary/values/audio.hpp"
#include "summary/values/graph.hpp"
#include "summary/values/histogram.hpp"
#include "summary/values/hparams.hpp"
#include "summary/values/image.hpp"
#include "summary/values/pr_curve.hpp"
#include "summary/values/run_profile.hpp"
#include "summary/values/scalar_layout.hpp"
#include "summary/values/tensor.hpp"
#include "summary/values/text.hpp"
#include "summary/write_report.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace popscope::summary {

// One run: a directory in which every start writes a new event file.
//
// Threads. All functions may be called from any thread at any time, except the
// destructor.
//
// Failure. Constructing throws std::runtime_error if the directory or the file
// cannot be created, unless the options say otherwise. After that the disk
// never makes a call throw: a failure is reported through onFailure, values
// gather up to 128 KiB, a new file is tried with the first write or flush that
// comes `flushEvery` or more after the last try, and report() says how much
// may be missing from the files. Data that make no sense throw
// std::invalid_argument at once and leave the writer as it was.
//
// What a kill can lose. Records reach the operating system whole and in order,
// so a file is readable up to the last flush whenever the process dies. A flush
// happens on the first write that comes `flushEvery` or more after the last
// one, whenever 128 KiB have gathered, on flush(), on close(), on destruction
// and on std::exit. Call flushIfDue() from a loop that may write nothing for
// long.
class EventWriter {
public:
  explicit EventWriter(const std::filesystem::path &runDirectory,
                       EventWriterOptions options = {});
  ~EventWriter(); // closes
  EventWriter(const EventWriter &) = delete;
  EventWriter &operator=(const EventWriter &) = delete;

  void scalar(const Tag &tag, Step step, float value);
  struct ScalarPoint {
    const Tag *tag;
    float value;
  };
  // All in one event, without copying their tags as a batch does.
  void scalars(Step step, Span<const ScalarPoint> points);
  void histogram(const Tag &tag, Step step, const Histogram &histogram) {
    add(tag, step, histogram);
  }
  // In 30 buckets of equal width.
  void histogram(const Tag &tag, Step step, Span<const float> values) {
    add(tag, step, uniformHistogram(values));
  }
  void image(const Tag &tag, Step step, const ImageView &image) {
    add(tag, step, image);
  }
  // Side by side.
  void images(const Tag &tag, Step step, const std::vector<ImageView> &images) {
    add(tag, step, images);
  }
  void audio(const Tag &tag, Step step, const AudioClip &clip) {
    add(tag, step, clip);
  }
  void text(const Tag &tag, Step step, std::string markdown) {
    add(tag, step, Markdown{std::move(markdown)});
  }
  void table(const Tag &tag, Step step, const TextTable &table) {
    add(tag, step, table);
  }
  void tensor(const Tag &tag, Step step, const TensorView &tensor) {
    add(tag, step, tensor);
  }
  void prCurve(const Tag &tag, Step step, const PrCurve &curve) {
    add(tag, step, curve);
  }
  // Any kind that has a toValue, or a Value.
  template <class Kind> void add(const Tag &tag, Step step, const Kind &kind) {
    EventBatch batch(step);
    batch.add(tag, kind);
    write(batch);
  }
  // All values of a batch in one event.
  void write(const EventBatch &batch);

  // The run's graph; at most one per run.
  void graph(const GraphDescription &graph);
  // The run's layers, as a second view of the graph.
  void layers(const LayerGraph &model);
  // Costs of the graph's nodes, under a name that is unique in the run.
  void profile(const std::string &name, Step step, const RunProfile &profile);
  void hparams(const SessionStart &start);
  void sessionEnd(const SessionEnd &end);
  void experiment(const Experiment &experiment);
  void layout(const ScalarLayout &layout);

  // Says that a restarted program goes on at `step`: TensorBoard then discards
  // the points at that step and later that an earlier start had written.
  // Without it, a writer on a directory with older files adds to their points.
  void resume(Step step);

  // Hands everything written so far to the operating system, or to the storage
  // device if the options ask for that.
  [[nodiscard]] SinkError flush();
  // The same if `flushEvery` has passed since the last flush. May be ignored: a
  // failure is kept, and reported like any other.
  SinkError flushIfDue();
  // Flushes and closes; later values are dropped. Returns the first failure
  // there was, if any. The destructor closes too, but can only tell onClose.
  [[nodiscard]] SinkError close();

  // For a signal handler, as its last act on this writer: hands the records
  // gathered so far to the operating system and closes the writer. Takes no
  // lock and allocates nothing. False if they could not be handed over; then a
  // flush is under way in some thread, and completes if the process goes on,
  // or the writer had failed.
  bool closeFromSignal() noexcept { return log_.closeFromSignal(); }

  // SinkError::none while all is well, also again after a failure.
  [[nodiscard]] SinkError error() const;
  // What may be missing from the files because of a failure. The bytes are
  // those of the records in the file; an event of several values is one record.
  [[nodiscard]] WriteReport report() const;
  // The number of values in those records.
  [[nodiscard]] std::uint64_t dropped() const;
  // Values left out by everyNth.
  std::uint64_t thinned() const;
  // The file being written.
  std::filesystem::path file() const;

private:
  using Lock = std::unique_lock<std::mutex>;

  // The bytes of a scalar's value.
  struct ScalarBody;

  bool isThinned(TagState &state);
  void writeLocked(const EventBatch &batch);
  void writeForRun(const Tag &tag, const Value &value);
  void writeForRun(Step step, unsigned field, const std::string &content);
  // Reports a failure that has not been reported yet, with the lock released.
  void leave(Lock &lock);

  const EventWriterOptions options_;
  mutable std::mutex mutex_; // guards all below
  EventLog log_;
  bool isClosed_ = false;
  TagTable tags_;
  std::uint64_t thinned_ = 0;
  // Of the event being written, kept for their memory.
  std::vector<EncodedValue> values_;
  std::vector<ScalarBody> bodies_;
  std::vector<TagState *> states_;
  ExitFlush exitFlush_{*this};
};

} // namespace popscope::summary
