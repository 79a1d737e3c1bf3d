#include "outfeed/health/tensor_health.hpp"

#include "text/number_text.hpp"

#include <utility>

namespace popscope::outfeed {

TensorHealth healthOf(const summary::TensorStats &stats) {
  return {stats.count,  stats.nan,    stats.posInf,
          stats.negInf, stats.absMax, stats.firstBad};
}

std::string badElements(const TensorHealth &health) {
  std::string text;
  for (const auto &[number, name] :
       {std::pair(health.nan, "NaN"), std::pair(health.posInf, "+inf"),
        std::pair(health.negInf, "-inf")})
    if (number != 0)
      text += (text.empty() ? "" : " and ") +
              text::withThousands(double(number)) + " " + name;
  return text;
}

std::string badShare(const TensorHealth &health) {
  const std::string all = text::withThousands(double(health.count));
  const std::string bad = badElements(health);
  const std::size_t space = bad.find(' ');
  return bad.find(' ', space + 1) == std::string::npos
             ? bad.substr(0, space) + " of " + all + " are" + bad.substr(space)
             : bad + " of " + all;
}

} // namespace popscope::outfeed
