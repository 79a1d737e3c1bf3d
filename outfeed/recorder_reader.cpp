#include "outfeed/recorder_reader.hpp"

#include <algorithm>

namespace popscope::outfeed {

namespace {

struct Slot {
  unsigned execution;
  unsigned replica;
  const unsigned *words;
};

} // namespace

void RecorderReader::read(
    poplar::Engine &engine,
    const std::function<void(const DecodedSample &)> &take) {
  for (std::size_t ring = 0; ring < program_.rings().size(); ++ring)
    readRing(engine, ring, take);
  if (program_.rings().empty())
    return;
  const std::vector<unsigned> goOn(replicas_, kRecordsOn);
  engine.writeTensor(program_.recorderStopHandle(), goOn.data(),
                     goOn.data() + goOn.size());
}

void RecorderReader::readRing(
    poplar::Engine &engine, std::size_t number,
    const std::function<void(const DecodedSample &)> &take) {
  const TapRing &ring = program_.rings()[number];
  const std::size_t slotSize = slotWords(unsigned(ring.records.size()));
  std::vector<unsigned> words(slotSize * ring.slots * replicas_);
  engine.readTensor(ring.handle, words.data(), words.data() + words.size());
  std::vector<Slot> slots;
  for (std::size_t s = 0; s < std::size_t(ring.slots) * replicas_; ++s) {
    const unsigned *const slot = &words[s * slotSize];
    if (slot[0] > firstUnread_[number])
      slots.push_back({slot[0] - 1, unsigned(s / ring.slots), slot});
  }
  std::sort(slots.begin(), slots.end(), [](const Slot &a, const Slot &b) {
    return a.execution < b.execution;
  });
  const unsigned perUpdate = program_.executionsPerUpdate(ring.moment);
  for (const Slot &slot : slots) {
    for (const TapSource::Record &record : ring.records)
      take(decodedRecord(plan_, record, Payload::stats,
                         slot.words + record.firstWord, slot.execution,
                         slot.replica, perUpdate));
    firstUnread_[number] = slot.execution + 1;
  }
}

} // namespace popscope::outfeed
