#include "outfeed/tap_rule.hpp"

#include <stdexcept>

namespace popscope::outfeed {

namespace {

constexpr Payload kPayloads[] = {Payload::alarm, Payload::stats, Payload::shape,
                                 Payload::identity, Payload::full};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

Payload parsePayload(std::string_view text) {
  for (const Payload payload : kPayloads)
    if (text == nameOf(payload))
      return payload;
  throw std::invalid_argument("[outfeed] payload '" + std::string(text) +
                              "' is not alarm, stats, shape, identity or full");
}

// The last `mark` outside quotes.
std::size_t findMark(std::string_view text, std::string_view mark) {
  bool quoted = false;
  std::size_t found = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    quoted ^= text[i] == '"';
    if (!quoted && text.substr(i, mark.size()) == mark)
      found = i;
  }
  return found;
}

} // namespace

const char *nameOf(Payload payload) {
  switch (payload) {
  case Payload::alarm:
    return "alarm";
  case Payload::stats:
    return "stats";
  case Payload::shape:
    return "shape";
  case Payload::identity:
    return "identity";
  case Payload::full:
    break;
  }
  return "full";
}

StatsTier tierOf(Payload payload) {
  switch (payload) {
  case Payload::alarm:
    return StatsTier::alarm;
  case Payload::stats:
    return StatsTier::stats;
  case Payload::shape:
    return StatsTier::shape;
  case Payload::identity:
    return StatsTier::identity;
  case Payload::full:
    break;
  }
  throw std::logic_error("[outfeed] a full tensor has no row");
}

TapRule parseTapRule(std::string_view text) {
  TapRule rule;
  std::string_view filter = text;
  const std::size_t arrow = findMark(filter, "->");
  if (arrow != std::string_view::npos) {
    rule.payload = parsePayload(trimmed(filter.substr(arrow + 2)));
    filter = filter.substr(0, arrow);
  }
  const std::size_t at = findMark(filter, "@");
  if (at != std::string_view::npos) {
    const std::string_view schedule = trimmed(filter.substr(at + 1));
    if (schedule.empty())
      throw std::invalid_argument("[outfeed] schedule: nothing behind @, such "
                                  "as every 10 or steps 1,10,100");
    rule.schedule = parseSchedule(schedule);
    filter = filter.substr(0, at);
  }
  rule.filter = TensorFilter::parse(trimmed(filter));
  return rule;
}

} // namespace popscope::outfeed
