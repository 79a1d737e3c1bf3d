#include "outfeed/step_schedule.hpp"

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

bool StepSchedule::isPeriodic(std::uint32_t step) const {
  return every != 0 && step >= from && step <= until &&
         (step - from) % every == 0;
}

bool StepSchedule::isDue(std::uint32_t step) const {
  return isPeriodic(step) ||
         std::binary_search(steps.begin(), steps.end(), step);
}

std::uint64_t StepSchedule::dueBefore(std::uint32_t step) const {
  std::uint64_t due = 0;
  if (every != 0 && step > from && until >= from)
    due = (std::min(step - 1, until) - from) / every + 1;
  for (const std::uint32_t listed : steps)
    due += listed < step && !isPeriodic(listed);
  return due;
}

std::uint32_t StepSchedule::dueStep(std::uint64_t n) const {
  if (steps.empty())
    return std::uint32_t(from + n * every);
  std::uint32_t step = 0;
  for (std::uint64_t left = n + 1;; ++step)
    if (isDue(step) && --left == 0)
      return step;
}

std::string StepSchedule::text() const {
  std::string text;
  if (every != 0) {
    text = "every " + std::to_string(every);
    if (from != 0)
      text += " from " + std::to_string(from);
    if (!isEndless())
      text += " until " + std::to_string(until);
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += (i != 0         ? ","
             : text.empty() ? "steps "
                            : " steps ") +
            std::to_string(steps[i]);
  return text;
}

bool operator==(const StepSchedule &a, const StepSchedule &b) {
  return a.every == b.every && a.from == b.from && a.until == b.until &&
         a.steps == b.steps;
}

StepSchedule parseSchedule(std::string_view text) {
  StepSchedule schedule;
  bool periodic = false;
  std::istringstream words{std::string(text)};
  for (std::string word, value; words >> word;) {
    if (!(words >> value))
      value.clear();
    for (std::string more;
         !value.empty() && value.back() == ',' && words >> more;)
      value += more;
    if (word == "steps") {
      schedule.steps = parseSteps(value);
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
  if (!periodic && !schedule.steps.empty())
    schedule.every = 0;
  return schedule;
}

} // namespace popscope::outfeed
