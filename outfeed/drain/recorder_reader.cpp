#include "outfeed/drain/recorder_reader.hpp"

#include <algorithm>
#include <cstring>
#include <string>

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
  const std::vector<unsigned> goOn(instances_.slice().localReplicas(),
                                   kRecordsOn);
  engine.writeTensor(program_.recorderStopHandle(), goOn.data(),
                     goOn.data() + goOn.size());
}

void RecorderReader::readRing(
    poplar::Engine &engine, std::size_t number,
    const std::function<void(const DecodedSample &)> &take) {
  const TapRing &ring = program_.rings()[number];
  const std::size_t slotSize = slotWords(unsigned(ring.records.size()));
  std::string here(slotSize * ring.slots * instances_.slice().localReplicas() *
                       sizeof(unsigned),
                   '\0');
  engine.readTensor(ring.handle, here.data(), here.data() + here.size());
  std::vector<unsigned> words;
  for (const std::string &bytes : instances_.gather(here, "recorder rings")) {
    const std::size_t before = words.size();
    words.resize(before + bytes.size() / sizeof(unsigned));
    std::memcpy(words.data() + before, bytes.data(), bytes.size());
  }
  std::vector<Slot> slots;
  for (std::size_t s = 0; s < words.size() / slotSize; ++s) {
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
                         {slot.replica}, perUpdate));
    firstUnread_[number] = slot.execution + 1;
  }
}

} // namespace popscope::outfeed
