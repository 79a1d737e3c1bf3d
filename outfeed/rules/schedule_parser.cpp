#include "outfeed/rules/schedule_parser.hpp"

#include "outfeed/rules/rule_scanner.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace popscope::outfeed {

namespace {

constexpr const char *kWordExpected =
    "expected 'every', 'from', 'until' or 'updates', e.g. every 10; or 'never'";

std::uint32_t readUpdate(RuleScanner &scanner, const std::string &word) {
  return std::uint32_t(
      scanner.readNumber(std::numeric_limits<std::uint32_t>::max(),
                         "expected a whole number after '" + word + "'"));
}

std::vector<std::uint32_t> readList(RuleScanner &scanner,
                                    const std::string &word) {
  std::vector<std::uint32_t> updates;
  do
    updates.push_back(readUpdate(scanner, word));
  while (scanner.take(','));
  std::sort(updates.begin(), updates.end());
  updates.erase(std::unique(updates.begin(), updates.end()), updates.end());
  return updates;
}

} // namespace

UpdateSchedule parseSchedule(std::string_view text) {
  UpdateSchedule schedule;
  RuleScanner scanner(text);
  std::set<std::string> given;
  while (!scanner.atEnd()) {
    const std::size_t begin = scanner.place();
    std::string word = scanner.readWord(kWordExpected);
    const std::string written = word;
    if (word == "steps")
      word = "updates";
    if (!given.insert(word).second)
      scanner.failAt(begin, "'" + word + "' is given twice");
    if (word == "updates")
      schedule.updates = readList(scanner, written);
    else if (word == "every")
      schedule.every = readUpdate(scanner, word);
    else if (word == "from")
      schedule.from = readUpdate(scanner, word);
    else if (word == "until")
      schedule.until = readUpdate(scanner, word);
    else if (word != "never")
      scanner.failAt(begin, kWordExpected);
    if (given.count("never") && given.size() > 1)
      scanner.failAt(begin, "'never' stands alone");
    if (schedule.every == 0)
      scanner.failAt(begin, "'every' has to be 1 or more");
    if (schedule.from > schedule.until)
      scanner.failAt(begin, "'from' is greater than 'until'");
  }
  if (given == std::set<std::string>{"updates"} || given.count("never"))
    schedule.every = 0;
  return schedule;
}

} // namespace popscope::outfeed
