#include "host/pictures/heat_map_picture.hpp"

#include "host/pictures/canvas.hpp"
#include "host/pictures/color_bar.hpp"
#include "host/pictures/color_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace popscope::host {

namespace {

// Text is large, as TensorBoard's cards show the picture at half its size.
constexpr double kTextSize = 17.0;
constexpr double kTitleSize = 22.0;
constexpr double kCharacter = 10.0; // its width, about
constexpr double kTop = 56.0;
constexpr double kBelow = 76.0;
constexpr double kRowHeight = 26.0;
constexpr double kMostWidth = 900.0;
constexpr double kMostCellWidth = 30.0;
constexpr double kBarGap = 24.0;
constexpr double kBarWidth = 18.0;
constexpr double kRight = kBarGap + kBarWidth + 92.0;
constexpr unsigned kMostTicks = 7;
constexpr Color kNone{0.93, 0.93, 0.93};
constexpr Color kZero{0.62, 0.62, 0.62};
constexpr Color kNotFinite{0.90, 0.0, 0.15};

double shownOf(const HeatMapValues &map, float value) {
  return map.isLogarithmic ? std::log10(std::abs(double(value)))
                           : double(value);
}

ColorScale scaleOf(const HeatMapValues &map) {
  ColorScale scale{std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
  for (const float value : map.values)
    if (std::isfinite(value) && !(map.isLogarithmic && value == 0))
      scale = {std::min(scale.low, shownOf(map, value)),
               std::max(scale.high, shownOf(map, value))};
  return scale.low <= scale.high ? scale : ColorScale{0, 0};
}

Color colorOf(const HeatMapValues &map, const ColorScale &scale, float value) {
  if (std::isnan(value))
    return kNone;
  if (std::isinf(value))
    return kNotFinite;
  if (map.isLogarithmic && value == 0)
    return kZero;
  return viridis().at(scale.share(shownOf(map, value)));
}

// Updates below the columns, as many as there is room for.
void drawAxis(Canvas &canvas, const HeatMapValues &map, const Rectangle &area) {
  const double cell = area.width / double(map.columns);
  const std::uint64_t last =
      map.firstUpdate + (map.columns - 1) * map.updatesPerColumn;
  const double label = double(std::to_string(last).size() + 2) * kCharacter;
  const auto every = std::size_t(std::ceil(label / cell));
  TextStyle style;
  style.size = kTextSize;
  for (std::size_t i = 0; i < map.columns; i += every)
    canvas.text(area.x + (double(i) + 0.5) * cell, area.y + area.height + 16.0,
                std::to_string(map.firstUpdate + i * map.updatesPerColumn),
                style);
}

void drawKey(Canvas &canvas, double x, double y) {
  constexpr double kBox = 16.0;
  const std::pair<const char *, Color> entries[] = {
      {"not finite", kNotFinite}, {"zero", kZero}, {"not recorded", kNone}};
  TextStyle style;
  style.size = kTextSize;
  style.anchor = Anchor::left;
  for (const auto &[text, color] : entries) {
    const Rectangle box{x, y - kBox / 2, kBox, kBox};
    canvas.fill(box, color);
    canvas.frameAround(box, kBlack, 1.0);
    canvas.text(x + kBox + 8.0, y, text, style);
    x += kBox + 24.0 + kCharacter * double(std::string(text).size());
  }
}

} // namespace

summary::Image drawHeatMap(const HeatMapValues &map) {
  std::size_t longest = 0;
  for (const std::string &row : map.rows)
    longest = std::max(longest, row.size());
  const double left =
      20.0 + kCharacter * double(std::min<std::size_t>(
                              std::max<std::size_t>(longest, 6), 40));
  const double cell =
      std::min(kMostCellWidth,
               std::max(4.0, std::floor(kMostWidth / double(map.columns))));
  const double leastWidth = 360.0; // of the title and the key
  const Rectangle area{left, kTop, cell * double(map.columns),
                       std::max(3.0, double(map.rows.size())) * kRowHeight};
  Canvas canvas(unsigned(left + std::max(area.width, leastWidth) + kRight),
                unsigned(kTop + area.height + kBelow));
  TextStyle title;
  title.size = kTitleSize;
  title.anchor = Anchor::left;
  canvas.text(left, kTop / 2, map.title, title);
  const ColorScale scale = scaleOf(map);
  TextStyle name;
  name.size = kTextSize;
  name.anchor = Anchor::right;
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    const double y = kTop + double(row) * kRowHeight;
    canvas.text(left - 8.0, y + kRowHeight / 2, map.rows[row], name);
    for (std::size_t column = 0; column < map.columns; ++column)
      canvas.fill({left + double(column) * cell, y, cell, kRowHeight - 1.0},
                  colorOf(map, scale, map.values[row * map.columns + column]));
  }
  TextStyle axis = name;
  canvas.text(left - 8.0, kTop + area.height + 16.0, "update", axis);
  drawAxis(canvas, map, area);
  drawKey(canvas, left, kTop + area.height + 50.0);
  drawColorBar(canvas,
               {left + area.width + kBarGap, kTop, kBarWidth, area.height},
               viridis(), scale, ticksOf(scale, kMostTicks));
  return canvas.image();
}

} // namespace popscope::host
