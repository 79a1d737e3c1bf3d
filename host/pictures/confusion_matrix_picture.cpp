#include "host/pictures/confusion_matrix_picture.hpp"

#include "host/pictures/canvas.hpp"

#include <cstdio>

namespace popscope::host {

namespace {

constexpr double kCell = 52.0;
constexpr double kLeft = 120.0; // room for the names of the classes
constexpr double kTop = 50.0;
constexpr double kBelow = 120.0;
constexpr double kBarGap = 24.0;
constexpr double kBarWidth = 18.0;
constexpr double kRight = kBarGap + kBarWidth + 50.0;

std::string twoDecimals(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

void drawCells(Canvas &canvas, const ConfusionMatrix &matrix) {
  for (unsigned label = 0; label < matrix.classes(); ++label)
    for (unsigned answer = 0; answer < matrix.classes(); ++answer) {
      const double share = matrix.share(label, answer);
      const Color color = shadeOfBlue(share);
      const Rectangle cell{kLeft + answer * kCell, kTop + label * kCell, kCell,
                           kCell};
      canvas.fill(cell, color);
      TextStyle style;
      style.color = isDark(color) ? kWhite : kBlack;
      canvas.text(cell.x + kCell / 2, cell.y + kCell / 2, twoDecimals(share),
                  style);
    }
}

void drawAxes(Canvas &canvas, const std::vector<std::string> &names,
              double side) {
  TextStyle beside;
  beside.anchor = Anchor::right;
  TextStyle below = beside;
  below.degrees = 45.0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double middle = (double(i) + 0.5) * kCell;
    canvas.text(kLeft - 8.0, kTop + middle, names[i], beside);
    canvas.text(kLeft + middle, kTop + side + 12.0, names[i], below);
  }
  TextStyle axis;
  axis.size = 14.0;
  canvas.text(kLeft + side / 2, kTop + side + kBelow - 16.0, "Predicted label",
              axis);
  axis.degrees = 90.0;
  canvas.text(16.0, kTop + side / 2, "True label", axis);
}

void drawColorBar(Canvas &canvas, double side) {
  const double x = kLeft + side + kBarGap;
  for (double y = 0.0; y < side; y += 1.0)
    canvas.fill({x, kTop + y, kBarWidth, 1.0}, shadeOfBlue(1.0 - y / side));
  canvas.frame({x, kTop, kBarWidth, side}, kBlack);
  TextStyle style;
  style.anchor = Anchor::left;
  for (int tick = 0; tick <= 5; ++tick)
    canvas.text(x + kBarWidth + 6.0, kTop + side * (1.0 - tick / 5.0),
                twoDecimals(tick / 5.0), style);
}

} // namespace

summary::Image drawConfusionMatrix(const ConfusionMatrix &matrix,
                                   const std::vector<std::string> &classNames) {
  const double side = matrix.classes() * kCell;
  Canvas canvas(unsigned(kLeft + side + kRight),
                unsigned(kTop + side + kBelow));
  TextStyle title;
  title.size = 18.0;
  canvas.text(kLeft + side / 2, kTop / 2, "Confusion matrix", title);
  drawCells(canvas, matrix);
  canvas.frame({kLeft, kTop, side, side}, kBlack);
  drawAxes(canvas, classNames, side);
  drawColorBar(canvas, side);
  return canvas.image();
}

} // namespace popscope::host
