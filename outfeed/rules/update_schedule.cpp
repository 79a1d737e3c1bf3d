#include "outfeed/rules/update_schedule.hpp"

#include "codelets/schedule_due.hpp"

#include <algorithm>

namespace popscope::outfeed {

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

UpdateSchedule UpdateSchedule::within(Update first, Update last) const {
  UpdateSchedule part = *this;
  if (every != 0 && from < first.value()) {
    const std::uint32_t skipped = (first.value() - from + every - 1) / every;
    if (std::uint64_t(from) + std::uint64_t(skipped) * every > last.value())
      part.every = 0;
    part.from = from + skipped * every;
  }
  part.until = std::min(until, last.value());
  part.updates.clear();
  for (const std::uint32_t listed : updates)
    if (listed >= first.value() && listed <= last.value())
      part.updates.push_back(listed);
  return part;
}

std::string UpdateSchedule::text() const {
  if (isNever())
    return "never";
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
             : text.empty() ? "updates "
                            : " updates ") +
            std::to_string(updates[i]);
  return text;
}

bool operator==(const UpdateSchedule &a, const UpdateSchedule &b) {
  return a.every == b.every && a.from == b.from && a.until == b.until &&
         a.updates == b.updates;
}

} // namespace popscope::outfeed
