#include "host/pictures/color_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace popscope::host {

namespace {

constexpr double kTickLength = 4.0;
constexpr double kTextSize = 16.0;

std::string tickText(double tick) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", tick == 0.0 ? 0.0 : tick);
  return text;
}

// The least of 1, 2 or 5 times a power of ten that is not below `least`.
double roundStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1.0 - 1e-9))
      return factor * power;
  return 10.0 * power;
}

} // namespace

double ColorScale::share(double value) const {
  return high > low || std::isnan(value) ? (value - low) / (high - low) : 0.0;
}

std::vector<double> ticksOf(const ColorScale &scale, unsigned most,
                            double leastStep) {
  if (!(scale.high > scale.low))
    return {scale.low};
  const double step = roundStep(
      std::max(leastStep, (scale.high - scale.low) / double(most - 1)));
  const double slack = 1e-9; // of a step, so that an end that is a tick is one
  std::vector<double> ticks;
  for (double n = std::ceil(scale.low / step - slack);
       n <= scale.high / step + slack; n += 1.0)
    ticks.push_back(n * step);
  return ticks;
}

void drawColorBar(Canvas &canvas, const Rectangle &area, const ColorMap &map,
                  const ColorScale &scale, const std::vector<double> &ticks) {
  for (double y = 0.0; y < area.height; y += 1.0)
    canvas.fill({area.x, area.y + y, area.width, 1.0},
                map.at(1.0 - (y + 0.5) / area.height));
  canvas.frameAround(area, kBlack, 1.0);
  TextStyle style;
  style.anchor = Anchor::left;
  style.size = kTextSize;
  const double right = area.x + area.width + 1.0;
  for (const double tick : ticks) {
    const double y = area.y + area.height * (1.0 - scale.share(tick));
    canvas.fill({right, std::floor(y), kTickLength, 1.0}, kBlack);
    canvas.text(right + kTickLength + 3.0, y, tickText(tick), style);
  }
}

} // namespace popscope::host
