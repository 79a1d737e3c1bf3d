#include "host/plan/options/dump_budget.hpp"

#include "host/command.hpp"

#include <cctype>
#include <optional>

namespace popscope::host {

namespace {

// The digits at the beginning, which are taken off.
std::optional<std::uint64_t> takeNumber(std::string &text) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t digits = 0;
  while (digits < text.size() &&
         std::isdigit(static_cast<unsigned char>(text[digits])))
    ++digits;
  if (digits == 0 || digits > kMostDigits)
    return std::nullopt;
  const std::uint64_t number = std::stoull(text.substr(0, digits));
  text.erase(0, digits);
  return number;
}

} // namespace

outfeed::DumpBudget parseDumpBudget(const std::string &text) {
  const auto refuse = [&text] {
    throw BadInput("--dump-budget " + text +
                   ": give a size and a number of files, such as 256MB,16");
  };
  std::string left = text;
  outfeed::DumpBudget budget;
  const std::optional<std::uint64_t> size = takeNumber(left);
  if (!size || *size == 0)
    refuse();
  budget.bytes = *size;
  const std::string unit = left.substr(0, left.find(','));
  left.erase(0, unit.size());
  if (unit == "KB")
    budget.bytes <<= 10;
  else if (unit == "MB")
    budget.bytes <<= 20;
  else if (unit == "GB")
    budget.bytes <<= 30;
  else if (!unit.empty())
    refuse();
  if (left.empty())
    return budget;
  left.erase(0, 1);
  const std::optional<std::uint64_t> files = takeNumber(left);
  if (!files || *files == 0 || !left.empty())
    refuse();
  budget.files = unsigned(*files);
  return budget;
}

} // namespace popscope::host
