#include "outfeed/update_schedule.hpp"

#include "codelets/schedule_due.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace popscope::outfeed {

namespace {

std::uint32_t parseStep(std::string_view text, std::string_view word) {
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    throw std::invalid_argument("[outfeed] schedule: '" + std::string(word) +
                                "' needs a step number, not '" +
                                std::string(text) + "'");
  return value;
}

std::vector<std::uint32_t> parseSteps(const std::string &text) {
  std::vector<std::uint32_t> steps;
  std::istringstream parts(text);
  std::string part;
  do {
    std::getline(parts, part, ','); // of an empty text, an empty part
    steps.push_back(parseStep(part, "steps"));
  } while (!parts.eof());
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

} // namespace

bool UpdateSchedule::isDue(Update update) const {
  return popscope::isDue({every, from, until}, updates.data(),
                         unsigned(updates.size()), update.value());
}

std::uint64_t UpdateSchedule::dueBefore(Update update) const {
  std::uint64_t due = 0;
  if (every != 0 && update.value() > from && until >= from)
    due = (std::min(update.value() - 1, until) - from) / every + 1;
  for (const std::uint32_t listed : updates)
    due +=
        listed < update.value() && !isDueByPeriod({every, from, until}, listed);
  return due;
}

Update UpdateSchedule::dueUpdate(std::uint64_t n) const {
  // The last update that has no more than n due ones before it.
  std::uint32_t low = 0, high = std::numeric_limits<std::uint32_t>::max();
  while (low < high) {
    const std::uint32_t middle = high - (high - low) / 2;
    if (dueBefore(Update(middle)) <= n)
      low = middle;
    else
      high = middle - 1;
  }
  return Update(low);
}

std::string UpdateSchedule::text() const {
  std::string text;
  if (every != 0) {
    text = "every " + std::to_string(every);
    if (from != 0)
      text += " from " + std::to_string(from);
    if (!isEndless())
      text += " until " + std::to_string(until);
  }
  for (std::size_t i = 0; i < updates.size(); ++i)
    text += (i != 0         ? ","
             : text.empty() ? "steps "
                            : " steps ") +
            std::to_string(updates[i]);
  return text;
}

bool operator==(const UpdateSchedule &a, const UpdateSchedule &b) {
  return a.every == b.every && a.from == b.from && a.until == b.until &&
         a.updates == b.updates;
}

UpdateSchedule parseSchedule(std::string_view text) {
  UpdateSchedule schedule;
  bool periodic = false;
  std::istringstream words{std::string(text)};
  for (std::string word, value; words >> word;) {
    if (!(words >> value))
      value.clear();
    for (std::string more;
         !value.empty() && value.back() == ',' && words >> more;)
      value += more;
    if (word == "steps") {
      schedule.updates = parseSteps(value);
      continue;
    }
    periodic = true;
    if (word == "every")
      schedule.every = parseStep(value, word);
    else if (word == "from")
      schedule.from = parseStep(value, word);
    else if (word == "until")
      schedule.until = parseStep(value, word);
    else
      throw std::invalid_argument("[outfeed] schedule: '" + word +
                                  "' is not every, from, until or steps");
    if (schedule.every == 0)
      throw std::invalid_argument("[outfeed] schedule: every 0 is never");
  }
  if (schedule.from > schedule.until)
    throw std::invalid_argument(
        "[outfeed] schedule: from " + std::to_string(schedule.from) +
        " is behind until " + std::to_string(schedule.until));
  if (!periodic && !schedule.updates.empty())
    schedule.every = 0;
  return schedule;
}

} // namespace popscope::outfeed
