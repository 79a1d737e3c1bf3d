#include "host/events/printing/trends.hpp"

#include "summary/reading/decoded_value.hpp"
#include "text/sparkline.hpp"

#include <cstdint>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace popscope::host::events {

namespace {

constexpr std::uint64_t kLargest = std::uint64_t(256) << 20; // bytes, a second
constexpr std::size_t kColumns = 16;

} // namespace

std::map<std::string, std::string>
trendsOf(const LogRun &run, const std::vector<const TagSeries *> &tags,
         FileWalk &walk) {
  if (bytesOf(run) > kLargest)
    return {};
  std::unordered_map<std::string_view, text::Sparkline> lines;
  for (const TagSeries *series : tags)
    if (series->kind == "scalars" && series->counts.values() > 1)
      lines.try_emplace(series->tag, series->counts.values(), kColumns);
  if (lines.empty())
    return {};
  const auto visit = [&](const summary::EventView &event, const auto &) {
    summary::ValueCursor values(event);
    while (const auto value = values.next()) {
      const auto line = lines.find(value->tag);
      if (line != lines.end())
        line->second.add(summary::decodeScalar(*value).value_or(
            std::numeric_limits<double>::quiet_NaN()));
    }
  };
  for (const auto &file : run.files)
    walk.walk(file, visit);
  const text::Alphabet alphabet = text::alphabetOfTerminal();
  std::map<std::string, std::string> trends;
  for (const auto &[tag, line] : lines)
    trends.emplace(tag, line.text(alphabet));
  return trends;
}

} // namespace popscope::host::events
