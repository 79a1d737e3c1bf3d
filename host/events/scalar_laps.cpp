#include "host/events/scalar_laps.hpp"

#include "summary/encoding/event_fields.hpp"
#include "summary/encoding/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace popscope::host::events {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlockWords = 64; // compared without looking

// At least a word of bytes, equal wherever the mask has ones. Inlined into a
// function for each kind of processor, which the compiler then vectorises.
[[gnu::always_inline]] inline bool haveEqualBits(const char *a, const char *b,
                                                 const char *mask,
                                                 std::size_t size) {
  const auto differ = [&](std::size_t at) __attribute__((always_inline)) {
    const auto word = [at](const char *from) __attribute__((always_inline)) {
      std::uint64_t bits;
      std::memcpy(&bits, from + at, sizeof bits);
      return bits;
    };
    return (word(a) ^ word(b)) & word(mask);
  };
  const std::size_t words = size / kWord;
  for (std::size_t begin = 0; begin < words; begin += kBlockWords) {
    const std::size_t end = std::min(words, begin + kBlockWords);
    std::uint64_t difference = 0;
    for (std::size_t word = begin; word < end; ++word)
      difference |= differ(word * kWord);
    if (difference != 0)
      return false;
  }
  return differ(size - kWord) == 0;
}

bool haveEqualBitsPlain(const char *a, const char *b, const char *mask,
                        std::size_t size) {
  return haveEqualBits(a, b, mask, size);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] bool haveEqualBitsAvx2(const char *a, const char *b,
                                               const char *mask,
                                               std::size_t size) {
  return haveEqualBits(a, b, mask, size);
}
#endif

auto fastestComparison() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return haveEqualBitsAvx2;
#endif
  return haveEqualBitsPlain;
}

// Most starts have this many bytes, which is compared without a loop.
constexpr std::size_t kFewestUsual = 2 * kWord, kMostUsual = 4 * kWord;

[[gnu::always_inline]] inline bool haveEqualStarts(const char *a, const char *b,
                                                   std::size_t size) {
  if (size < kFewestUsual || size > kMostUsual)
    return summary::haveEqualBytes(a, b, size);
  const auto differ = [&](std::size_t at) __attribute__((always_inline)) {
    return summary::loadLittleEndian<std::uint64_t>(a + at) ^
           summary::loadLittleEndian<std::uint64_t>(b + at);
  };
  return (differ(0) | differ(kWord) | differ(size - 2 * kWord) |
          differ(size - kWord)) == 0;
}

} // namespace

std::optional<EventHead> EventHead::parse(std::string_view payload) {
  if (payload.size() < kFewestBytes || payload[0] != 0x09 ||
      payload[kStepAt - 1] != 0x10)
    return std::nullopt;
  EventHead head;
  std::size_t at = kStepAt;
  for (unsigned shift = 0; at < kStepAt + kMostStepBytes; shift += 7) {
    const auto byte = static_cast<unsigned char>(payload[at++]);
    head.step |= std::int64_t(byte & 0x7f) << shift;
    if (byte < 0x80) {
      head.bytes = at + 1;
      return payload[at] == 0x2a ? std::optional(head) : std::nullopt;
    }
  }
  return std::nullopt;
}

void ScalarLaps::learn(std::size_t number, std::int64_t step) {
  if (step != step_ || tags_.empty()) {
    tags_.clear();
    step_ = step;
    isSpoilt_ = false;
  }
  if (have(number)) {
    isSpoilt_ = true;
    return;
  }
  if (number >= places_.size())
    places_.resize(number + 1);
  places_[number] = static_cast<std::uint32_t>(tags_.size());
  tags_.push_back(static_cast<std::uint32_t>(number));
}

std::optional<std::size_t> ScalarLaps::firstOf(std::int64_t step) const {
  if (areTaken_ || isSpoilt_ || tags_.empty() || step <= step_)
    return std::nullopt;
  return tags_.front();
}

void ScalarLaps::end() {
  areTaken_ = false;
  tags_.clear();
}

ScalarLaps::Counted ScalarLaps::counted(std::size_t number) const {
  if (!areTaken_ || !have(number))
    return {};
  if (places_[number] < next_)
    return {laps_, step_};
  return {laps_ - 1, stepBefore_};
}

// The place that so many bytes lead to; that of the beginning if to none.
std::size_t ScalarLaps::placeBehind(std::size_t place,
                                    std::size_t bytes) const {
  const std::size_t behind = begins_[place] + bytes;
  const std::size_t likely = place + together_;
  if (likely < begins_.size() && begins_[likely] == behind)
    return likely;
  const auto found = std::lower_bound(begins_.begin(), begins_.end(), behind);
  return found != begins_.end() && *found == behind
             ? static_cast<std::size_t>(found - begins_.begin())
             : place;
}

bool ScalarLaps::matches(std::size_t place, std::string_view summary) const {
  static const auto equal = fastestComparison();
  return equal(summary.data(), bytes_.data() + begins_[place],
               mask_.data() + begins_[place], summary.size());
}

// Its first event is taken next.
void ScalarLaps::startLap(std::int64_t step) {
  ++laps_;
  stepBefore_ = step_;
  step_ = step;
  next_ = 0;
  head_ = 1;
  headMask_ = 0;
  constexpr std::int64_t kSteps = 1 << 7 * EventHead::kMostStepBytes;
  if (step <= 0 || step >= kSteps)
    return;
  char bytes[kWord] = {};
  summary::wire::Writer writer(bytes);
  writer.varintField(summary::fields::kEventStep,
                     static_cast<std::uint64_t>(step));
  *writer.at() = 0x2a;
  const auto size = static_cast<std::size_t>(writer.at() + 1 - bytes);
  head_ = summary::loadLittleEndian<std::uint64_t>(bytes);
  headMask_ = (std::uint64_t(1) << 8 * size) - 1;
  headBytes_ = EventHead::kStepAt - 1 + size;
}

bool ScalarLaps::take(std::int64_t step, std::string_view summary) {
  if (!areTaken_ || (isAtEnd() ? step <= step_ : step != step_))
    return false;
  const std::size_t place = isAtEnd() ? 0 : next_;
  const std::size_t behind = placeBehind(place, summary.size());
  if (behind == place || !matches(place, summary))
    return false;
  if (isAtEnd())
    startLap(step);
  together_ = behind - place;
  next_ = behind;
  return true;
}

// Whether what follows the head is the length of a summary and that summary, a
// scalar.
bool ScalarLaps::isScalar(std::size_t place,
                          std::string_view behindHead) const {
  const std::size_t size = begins_[place + 1] - begins_[place];
  // A length of one byte is not negative.
  return behindHead.size() == 1 + size &&
         static_cast<signed char>(behindHead[0]) ==
             static_cast<std::ptrdiff_t>(size) &&
         summary::haveEqualBytes(behindHead.data() + 1,
                                 bytes_.data() + begins_[place],
                                 size - sizeof(float));
}

// Takes what is left of a lap, or as much of it as there is.
std::size_t
ScalarLaps::takeLap(summary::Span<const std::string_view> payloads) {
  // In variables of its own, which stay in registers.
  const std::uint64_t expected = head_, mask = headMask_;
  const std::size_t headBytes = headBytes_;
  const char *const bytes = bytes_.data();
  const std::size_t *const begins = &begins_[next_];
  const std::size_t count = std::min(payloads.size(), tags_.size() - next_);
  std::size_t taken = 0;
  for (; mask != 0 && taken < count; ++taken) {
    const std::string_view payload = payloads[taken];
    const std::size_t size = begins[taken + 1] - begins[taken];
    if (payload.size() != headBytes + 1 + size || size >= 0x80)
      break;
    const char *const head = payload.data();
    const char *const entry = head + headBytes + 1;
    const auto word =
        summary::loadLittleEndian<std::uint64_t>(head + EventHead::kStepAt - 1);
    if (head[0] != 0x09 || (word & mask) != expected ||
        entry[-1] != static_cast<char>(size) ||
        !haveEqualStarts(entry, bytes + begins[taken], size - sizeof(float)))
      break;
  }
  next_ += taken;
  return taken;
}

std::size_t
ScalarLaps::takeScalars(summary::Span<const std::string_view> payloads) {
  std::size_t taken = 0;
  while (areTaken_ && taken < payloads.size()) {
    if (isAtEnd()) {
      if (!beginsLap(payloads[taken]))
        break;
      ++taken;
    }
    taken += takeLap(payloads.from(taken));
    if (!isAtEnd())
      break;
  }
  return taken;
}

bool ScalarLaps::beginsLap(std::string_view payload) {
  const auto head = EventHead::parse(payload);
  if (!head || head->step <= step_)
    return false;
  if (!isScalar(0, payload.substr(head->bytes)))
    return false;
  startLap(head->step);
  next_ = 1;
  return true;
}

} // namespace popscope::host::events
