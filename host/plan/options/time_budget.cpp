#include "host/plan/options/time_budget.hpp"

#include "host/command.hpp"

#include <cstdlib>

namespace popscope::host {

double parseTimeBudget(const std::string &text) {
  // No sign, no blank, no "inf": strtod reads all of these.
  const bool isDecimal =
      text.size() > 1 && text.back() == '%' &&
      text.find_first_not_of("0123456789.") == text.size() - 1;
  char *end = nullptr;
  const double percent = isDecimal ? std::strtod(text.c_str(), &end) : 0.0;
  if (!isDecimal || *end != '%' || percent <= 0.0 || percent > 100.0)
    throw BadInput("--budget " + text +
                   ": give a share of the training's time above 0% and up to "
                   "100%, such as 2%");
  return percent / 100;
}

} // namespace popscope::host
