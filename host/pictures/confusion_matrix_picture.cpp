#include "host/pictures/confusion_matrix_picture.hpp"

#include "host/pictures/color_bar.hpp"

#include <algorithm>
#include <cstdio>

namespace popscope::host {

namespace {

constexpr double kCell = 52.0;
constexpr double kLeft = 148.0; // room for the names of the classes
constexpr double kTop = 56.0;
constexpr double kBelow = 136.0;
constexpr double kBarGap = 24.0;
constexpr double kBarWidth = 18.0;
constexpr double kRight = kBarGap + kBarWidth + 78.0;
// Text is large, as TensorBoard's cards show the picture at half its size.
constexpr double kTextSize = 17.0;
constexpr double kTitleSize = 24.0;
constexpr unsigned kMostTicks = 9;

std::string twoDecimals(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

ColorScale scaleOf(const ConfusionMatrix &matrix) {
  ColorScale scale{double(matrix.count(0, 0)), double(matrix.count(0, 0))};
  for (unsigned label = 0; label < matrix.classes(); ++label)
    for (unsigned answer = 0; answer < matrix.classes(); ++answer) {
      const auto count = double(matrix.count(label, answer));
      scale = {std::min(scale.low, count), std::max(scale.high, count)};
    }
  return scale;
}

void drawCells(Canvas &canvas, const ConfusionMatrix &matrix,
               const ColorScale &scale) {
  for (unsigned label = 0; label < matrix.classes(); ++label)
    for (unsigned answer = 0; answer < matrix.classes(); ++answer) {
      const auto count = double(matrix.count(label, answer));
      const Rectangle cell{kLeft + answer * kCell, kTop + label * kCell, kCell,
                           kCell};
      canvas.fill(cell, blues().at(scale.share(count)));
      TextStyle style;
      style.size = kTextSize;
      style.color = count > scale.high / 2.0 ? kWhite : kBlack;
      canvas.text(cell.x + kCell / 2, cell.y + kCell / 2,
                  twoDecimals(matrix.share(label, answer)), style);
    }
}

void drawAxes(Canvas &canvas, const std::vector<std::string> &names,
              double side) {
  TextStyle beside;
  beside.size = kTextSize;
  beside.anchor = Anchor::right;
  TextStyle below = beside;
  below.degrees = 45.0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double middle = (double(i) + 0.5) * kCell;
    canvas.text(kLeft - 8.0, kTop + middle, names[i], beside);
    canvas.text(kLeft + middle, kTop + side + 12.0, names[i], below);
  }
  TextStyle axis;
  axis.size = kTextSize;
  canvas.text(kLeft + side / 2, kTop + side + kBelow - 16.0, "Predicted label",
              axis);
  axis.degrees = 90.0;
  canvas.text(16.0, kTop + side / 2, "True label", axis);
}

} // namespace

summary::Image drawConfusionMatrix(const ConfusionMatrix &matrix,
                                   const std::vector<std::string> &classNames) {
  const double side = matrix.classes() * kCell;
  Canvas canvas(unsigned(kLeft + side + kRight),
                unsigned(kTop + side + kBelow));
  TextStyle title;
  title.size = kTitleSize;
  canvas.text(kLeft + side / 2, kTop / 2, "Confusion matrix", title);
  const ColorScale scale = scaleOf(matrix);
  drawCells(canvas, matrix, scale);
  canvas.frameAround({kLeft, kTop, side, side}, kBlack, 1.0);
  drawAxes(canvas, classNames, side);
  const Rectangle bar{kLeft + side + kBarGap, kTop, kBarWidth, side};
  drawColorBar(canvas, bar, blues(), scale, ticksOf(scale, kMostTicks, 1.0));
  TextStyle unit;
  unit.anchor = Anchor::left;
  unit.size = kTextSize;
  canvas.text(bar.x, kTop - 16.0, "images", unit);
  return canvas.image();
}

} // namespace popscope::host
