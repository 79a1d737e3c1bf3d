#include "outfeed/drain/frame_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace popscope::outfeed {

namespace {

summary::FloatFormat formatOf(const TensorTraits &tensor) {
  return tensor.dtype == "half" ? summary::FloatFormat::float16
                                : summary::FloatFormat::float32;
}

// Integers are summarised as the floats nearest to them, as on the device.
template <class Integer>
TensorSample sampleOfIntegers(const std::byte *bytes, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    Integer value;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    values[i] = float(value);
  }
  return sampleOfFloats(values);
}

TensorSample sampleOfElements(const TensorTraits &tensor,
                              const std::byte *bytes) {
  const std::size_t count = tensor.numElements;
  if (tensor.dtype == "half")
    return sampleOfHalves(
        {reinterpret_cast<const std::uint16_t *>(bytes), count});
  if (tensor.dtype == "int")
    return sampleOfIntegers<std::int32_t>(bytes, count);
  if (tensor.dtype == "unsigned")
    return sampleOfIntegers<std::uint32_t>(bytes, count);
  return sampleOfFloats({reinterpret_cast<const float *>(bytes), count});
}

// In the frame of a whole tensor that is sent under a condition, the number of
// the execution and the evidence come first.
constexpr std::size_t kStamp = sizeof(unsigned) + sizeof(Evidence);

std::size_t stampOf(const TapSource &source) {
  return source.isArmed ? kStamp : 0;
}

unsigned executionAt(const std::byte *bytes) {
  unsigned execution;
  std::memcpy(&execution, bytes, sizeof execution);
  return execution;
}

// A summary travels as it is.
static_assert(std::is_trivially_copyable_v<TensorSample>);

std::optional<Evidence> evidenceAt(const std::byte *bytes) {
  Evidence evidence;
  std::memcpy(&evidence, bytes, sizeof evidence);
  return evidence.term == kNoTerm ? std::nullopt : std::optional(evidence);
}

std::uint64_t mapped(const graph::ElementOrder &order, std::uint64_t index) {
  return index == summary::TensorStats::kNoIndex
             ? index
             : order.indexOf(unsigned(index));
}

TensorHealth healthOfRow(const std::byte *bytes, const Tap &tap,
                         const graph::ElementOrder &order) {
  StatsRow row;
  std::memcpy(&row, bytes, rowWords(StatsTier::alarm) * sizeof(unsigned));
  return {tap.tensor.numElements,
          row.nan,
          row.posInf,
          row.negInf,
          double(row.absMax),
          row.firstBad == kNoIndex ? summary::TensorStats::kNoIndex
                                   : order.indexOf(row.firstBad)};
}

// False if a piece of it was dropped.
bool readMerged(const FrameShares::Set &shares, const TapSource::Record &record,
                std::size_t count, unsigned *words) {
  const graph::MergedPlace &place = record.merged;
  for (unsigned piece = 0; piece < place.pieces; ++piece) {
    const auto &bytes = shares.bytes[place.firstReplica + piece];
    if (bytes.empty())
      return false;
    const std::size_t begin = piece * place.pieceWords;
    std::memcpy(words + begin,
                bytes.data() + record.firstWord * sizeof(unsigned),
                std::min(place.pieceWords, count - begin) * sizeof(unsigned));
  }
  return true;
}

} // namespace

const char *describe(FrameError error) {
  switch (error) {
  case FrameError::none:
    return "none";
  case FrameError::wrongSize:
    return "a frame has the wrong size";
  case FrameError::wrongVersion:
    return "a frame has another layout version; rebuild host and codelets "
           "together";
  case FrameError::wrongSource:
    break;
  }
  return "a frame came from an unknown stream";
}

DecodedSample decodedRecord(const TapPlan &plan,
                            const TapSource::Record &record, Payload payload,
                            const unsigned *row, unsigned execution,
                            const RecordReplicas &replicas,
                            unsigned executionsPerUpdate) {
  const Tap &tap = plan.tap(record.tap);
  DecodedSample decoded{
      tap,
      Update(execution / executionsPerUpdate),
      {replicas.first, execution % executionsPerUpdate},
      executionsPerUpdate,
      sampleOfRow(row, payload,
                  std::uint64_t(tap.tensor.numElements) * replicas.count,
                  formatOf(tap.tensor))};
  decoded.replicas = replicas.count;
  decoded.sample.parts = replicas.count;
  summary::TensorStats &stats = decoded.sample.stats;
  stats.argMin = mapped(record.order, stats.argMin);
  stats.argMax = mapped(record.order, stats.argMax);
  stats.firstBad = mapped(record.order, stats.firstBad);
  return decoded;
}

bool FrameDecoder::isWhole(const Frame &frame) const {
  if (frame.origin.source >= program_.sources().size())
    return false;
  const TapSource &source = sourceOf(frame);
  return frame.bytes.size() == (frame.isSummary
                                    ? stampOf(source) + sizeof(TensorSample)
                                    : source.bytes);
}

FrameError FrameDecoder::decode(const Frame &frame, const TakeSample &take,
                                const TakeHealth &takeAlarm) {
  if (frame.origin.source >= program_.sources().size() ||
      frame.origin.replica >= replicas_)
    return FrameError::wrongSource;
  if (!isWhole(frame))
    return FrameError::wrongSize;
  const TapSource &source = sourceOf(frame);
  return source.records.empty() ? decodeFull(source, frame, take)
                                : decodeRecords(source, frame, take, takeAlarm);
}

std::optional<Update> FrameDecoder::updateOf(const Frame &frame) const {
  if (!isWhole(frame) || !sourceOf(frame).dump.empty())
    return std::nullopt;
  const TapSource &source = sourceOf(frame);
  const unsigned perUpdate = program_.executionsPerUpdate(source.moment);
  if (!source.records.empty()) {
    FrameHeader header;
    std::memcpy(&header, frame.bytes.data(), sizeof header);
    return Update(header.execution / perUpdate);
  }
  if (source.isArmed)
    return Update(executionAt(frame.bytes.data()) / perUpdate);
  // Nothing but the elements is sent: the update follows from the schedule, or
  // is known to who decided that it is due.
  const std::uint64_t number = frame.origin.number / perUpdate;
  const UpdateSchedule &schedule = source.schedule;
  return control_
             ? control_->updateOfTransfer(source.full, number)
             : schedule.dueUpdate(schedule.dueBefore(firstUpdate_) + number);
}

Frame FrameDecoder::summaryOf(const Frame &frame,
                              const TensorSample &sample) const {
  const std::size_t stamp = stampOf(sourceOf(frame));
  Frame summary{frame.origin, {}, true};
  summary.bytes.resize(stamp + sizeof sample);
  std::memcpy(summary.bytes.data(), frame.bytes.data(), stamp);
  std::memcpy(summary.bytes.data() + stamp, &sample, sizeof sample);
  return summary;
}

const TapSource *FrameDecoder::dumpSource(const Frame &frame) const {
  if (frame.origin.source >= program_.sources().size())
    return nullptr;
  const TapSource &source = sourceOf(frame);
  return !source.dump.empty() && frame.bytes.size() == source.bytes ? &source
                                                                    : nullptr;
}

FrameError FrameDecoder::decodeRecords(const TapSource &source,
                                       const Frame &frame,
                                       const TakeSample &take,
                                       const TakeHealth &takeAlarm) {
  FrameHeader header;
  std::memcpy(&header, frame.bytes.data(), sizeof header);
  if (header.layoutVersion != kStatsLayoutVersion)
    return FrameError::wrongVersion;
  if (header.source != source.number)
    return FrameError::wrongSource;
  if (source.isMerged) {
    for (const FrameShares::Set &ready : shares_.add(frame, header.execution))
      decodeMerged(ready, take);
    return FrameError::none;
  }
  const unsigned perUpdate = program_.executionsPerUpdate(source.moment);
  unsigned words[kMaxRowWords];
  for (const TapSource::Record &record : source.records) {
    const Tap &tap = plan_.tap(record.tap);
    const std::byte *const bytes =
        frame.bytes.data() + record.firstWord * sizeof(unsigned);
    if (takeAlarm && TapPlan::isAlarm(record.tap)) {
      takeAlarm({tap,
                 Update(header.execution / perUpdate),
                 {frame.origin.replica, header.execution % perUpdate},
                 healthOfRow(bytes, tap, record.order)});
      continue;
    }
    const Payload payload = tap.payload;
    std::memcpy(words, bytes, rowWords(tierOf(payload)) * sizeof(unsigned));
    DecodedSample decoded =
        decodedRecord(plan_, record, payload, words, header.execution,
                      {frame.origin.replica}, perUpdate);
    if (source.isArmed)
      decoded.evidence = evidenceAt(frame.bytes.data() + sizeof header);
    take(decoded);
  }
  return FrameError::none;
}

void FrameDecoder::decodeMerged(const FrameShares::Set &shares,
                                const TakeSample &take) {
  const TapSource &source = program_.sources()[shares.source];
  unsigned words[kMaxRowWords];
  for (const TapSource::Record &record : source.records) {
    const Payload payload = plan_.tap(record.tap).payload;
    if (!readMerged(shares, record, rowWords(tierOf(payload)), words))
      continue;
    take(decodedRecord(plan_, record, payload, words, shares.execution,
                       {0, replicas_},
                       program_.executionsPerUpdate(source.moment)));
  }
}

void FrameDecoder::finish(const TakeSample &take) {
  for (const FrameShares::Set &left : shares_.takeAll())
    decodeMerged(left, take);
}

FrameError FrameDecoder::decodeFull(const TapSource &source, const Frame &frame,
                                    const TakeSample &take) {
  const unsigned perUpdate = program_.executionsPerUpdate(source.moment);
  const Tap &tap = plan_.tap(source.full);
  const std::uint64_t execution =
      source.isArmed ? executionAt(frame.bytes.data()) : frame.origin.number;
  DecodedSample decoded{tap,
                        *updateOf(frame),
                        {frame.origin.replica, unsigned(execution % perUpdate)},
                        perUpdate,
                        {}};
  const std::size_t stamp = stampOf(source);
  const std::byte *const content = frame.bytes.data() + stamp;
  if (source.isArmed)
    decoded.evidence = evidenceAt(frame.bytes.data() + sizeof(unsigned));
  if (frame.isSummary) {
    std::memcpy(&decoded.sample, content, sizeof decoded.sample);
  } else {
    decoded.sample = sampleOfElements(tap.tensor, content);
    decoded.elements = content;
    decoded.bytes = frame.bytes.size() - stamp;
  }
  take(decoded);
  return FrameError::none;
}

} // namespace popscope::outfeed
