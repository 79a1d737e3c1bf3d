#include "outfeed/rules/tap_rule.hpp"

#include "outfeed/rules/rule_error.hpp"
#include "outfeed/rules/rule_scanner.hpp"
#include "outfeed/rules/schedule_parser.hpp"
#include "text/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <vector>

namespace popscope::outfeed {

namespace {

constexpr Payload kPayloads[] = {Payload::alarm, Payload::stats, Payload::shape,
                                 Payload::identity, Payload::full};

// A part of a rule without the blanks around it.
struct Part {
  std::string_view text;
  std::size_t begin; // in the rule
};

Part partOf(std::string_view rule, std::size_t begin, std::size_t end) {
  constexpr std::string_view kBlanks = " \t\n\r\v\f";
  const std::string_view part = rule.substr(begin, end - begin);
  const std::size_t first =
      std::min(part.find_first_not_of(kBlanks), part.size());
  const std::size_t last = part.find_last_not_of(kBlanks);
  return {
      part.substr(first, last == std::string_view::npos ? 0 : last + 1 - first),
      begin + first};
}

// The last `word` outside quotes that stands alone.
std::size_t findWord(std::string_view text, std::string_view word) {
  const auto isBlank = [&](std::size_t at) {
    return at >= text.size() ||
           std::isspace(static_cast<unsigned char>(text[at]));
  };
  bool quoted = false;
  std::size_t found = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    quoted ^= text[i] == '"';
    if (!quoted && text.substr(i, word.size()) == word &&
        (i == 0 || isBlank(i - 1)) && isBlank(i + word.size()))
      found = i;
  }
  return found;
}

struct Sent {
  Payload payload;
  std::uint32_t forUpdates;
};

// PAYLOAD [for UPDATES]
Sent parseSent(std::string_view text) {
  constexpr std::uint32_t kMostUpdates = 1u << 30;
  constexpr std::string_view kFor = "for";
  const std::size_t at = findWord(text, kFor);
  if (at == std::string_view::npos)
    return {parsePayload(text), 0};
  const Payload payload = parsePayload(partOf(text, 0, at).text);
  const char *const expected =
      "expected a number of updates after 'for', e.g. 50";
  RuleScanner scanner(text);
  scanner.goBackTo(at + kFor.size());
  const std::size_t begin = scanner.place();
  const auto updates =
      std::uint32_t(scanner.readNumber(kMostUpdates, expected));
  if (!scanner.atEnd() || updates == 0)
    scanner.failAt(begin, expected);
  return {payload, updates};
}

Condition parseSomeCondition(std::string_view text) {
  if (text.empty())
    throw RuleError("expected a condition after 'when', e.g. abs_max>1e4", text,
                    0);
  return parseCondition(text);
}

UpdateSchedule parseSomeSchedule(std::string_view text) {
  if (text.empty())
    throw RuleError("expected a schedule after '@', e.g. every 10", text, 0);
  return parseSchedule(text);
}

TensorFilter parseSomeFilter(std::string_view text) {
  if (text.empty())
    throw RuleError(
        "expected a filter, e.g. kind:gradient, or * for every tensor", text,
        0);
  return TensorFilter::parse(text);
}

// Reads a part; an error points into the whole rule.
template <class Parse>
auto parsed(const Parse &parse, std::string_view rule, std::size_t begin,
            std::size_t end) {
  const Part part = partOf(rule, begin, end);
  try {
    return parse(part.text);
  } catch (const RuleError &error) {
    throw RuleError(error.reason(), rule, part.begin + error.at());
  }
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

Payload parsePayload(std::string_view text) {
  std::vector<std::string> names;
  for (const Payload payload : kPayloads) {
    if (text == nameOf(payload))
      return payload;
    names.emplace_back(nameOf(payload));
  }
  if (text.empty())
    throw RuleError("expected a payload after '->', e.g. shape", text, 0);
  if (text.find('@') != std::string_view::npos)
    throw RuleError("the schedule comes before the payload: FILTER @ SCHEDULE "
                    "-> PAYLOAD",
                    text, text.find('@'));
  const std::string word(text);
  throw RuleError("no payload '" + word + "'; did you mean " +
                      text::nearestName(word, names) +
                      "? (alarm, stats, shape, identity, full)",
                  text, 0);
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
  std::size_t end = text.size();
  const std::size_t arrow = findMark(text, "->");
  if (arrow != std::string_view::npos) {
    const Sent sent = parsed(parseSent, text, arrow + 2, end);
    rule.payload = sent.payload;
    rule.forUpdates = sent.forUpdates;
    end = arrow;
  }
  constexpr std::string_view kWhen = "when";
  const std::size_t when = findWord(text.substr(0, end), kWhen);
  if (when != std::string_view::npos) {
    rule.condition = parsed(parseSomeCondition, text, when + kWhen.size(), end);
    end = when;
  } else if (rule.forUpdates != 0) {
    throw RuleError("'for' needs a condition, e.g. when abs_max>1e4", text,
                    text.rfind("for"));
  }
  const std::size_t at = findMark(text.substr(0, end), "@");
  if (at != std::string_view::npos) {
    rule.schedule = parsed(parseSomeSchedule, text, at + 1, end);
    end = at;
  }
  rule.filter = parsed(parseSomeFilter, text, 0, end);
  return rule;
}

} // namespace popscope::outfeed
