#include "host/pictures/model_output_picture.hpp"

#include "host/pictures/color_bar.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace popscope::host {

namespace {

using Geometry = ModelOutputGeometry;

constexpr double kBarGap = 24.0;
constexpr double kBarWidth = 18.0;
constexpr double kRight = kBarGap + kBarWidth + 52.0;
constexpr double kBelow = 36.0;
constexpr unsigned kMostTicks = 11;
constexpr Color kEmpty{0.94, 0.94, 0.94};

// The first rows of a model's output and the labels that belong to them.
struct Rows {
  const Predictions &predictions;
  const std::vector<unsigned> &labels;
  std::size_t count;

  bool isRight(std::size_t i) const {
    return predictions.answer(i) == labels[i];
  }
  double width() const {
    return double(predictions.classes * Geometry::kCellWidth);
  }
  double height() const { return double(count * Geometry::kCellHeight); }
};

Rows firstRows(const Predictions &predictions,
               const std::vector<unsigned> &labels, std::size_t images) {
  return {predictions, labels, std::min(images, predictions.size())};
}

Rectangle cellAt(std::size_t row, unsigned column) {
  return {double(Geometry::kLeft + column * Geometry::kCellWidth),
          double(Geometry::kTop + row * Geometry::kCellHeight),
          double(Geometry::kCellWidth), double(Geometry::kCellHeight)};
}

// A canvas with title and axes; the cells are still to be filled.
Canvas canvasFor(const Rows &rows, const std::string &title) {
  Canvas canvas(unsigned(Geometry::kLeft + rows.width() + kRight),
                unsigned(Geometry::kTop + rows.height() + kBelow));
  const double middle = Geometry::kLeft + rows.width() / 2;
  TextStyle large;
  large.size = 16.0;
  canvas.text(middle, 18.0, title, large);
  TextStyle axis;
  axis.size = 14.0;
  const double bottom = Geometry::kTop + rows.height();
  canvas.text(middle, bottom + 18.0, "Class", axis);
  axis.degrees = 90.0;
  canvas.text(16.0, Geometry::kTop + rows.height() / 2, "True label", axis);
  for (unsigned c = 0; c < rows.predictions.classes; ++c)
    canvas.text(cellAt(0, c).x + Geometry::kCellWidth / 2.0,
                Geometry::kTop - 12.0, std::to_string(c), large);
  for (std::size_t i = 0; i < rows.count; ++i) {
    TextStyle style = large;
    style.anchor = Anchor::right;
    if (!rows.isRight(i)) {
      style.color = kWrongColor;
      style.weight = Weight::bold;
    }
    canvas.text(Geometry::kLeft - 10.0,
                cellAt(i, 0).y + Geometry::kCellHeight / 2.0,
                std::to_string(rows.labels[i]), style);
  }
  return canvas;
}

Rectangle allCells(const Rows &rows) {
  return {double(Geometry::kLeft), double(Geometry::kTop), rows.width(),
          rows.height()};
}

} // namespace

summary::Image drawLogits(const Predictions &predictions,
                          const std::vector<unsigned> &labels,
                          std::size_t images) {
  const Rows rows = firstRows(predictions, labels, images);
  const unsigned classes = predictions.classes;
  Canvas canvas = canvasFor(rows, "Logits (output before softmax)");
  double largest = 0.0;
  for (std::size_t i = 0; i < rows.count * classes; ++i)
    if (std::isfinite(predictions.logits[i]))
      largest = std::max(largest, std::fabs(double(predictions.logits[i])));
  const double end = largest > 0.0 ? largest : 1.0;
  const ColorScale scale{-end, end};
  for (std::size_t i = 0; i < rows.count; ++i)
    for (unsigned c = 0; c < classes; ++c)
      canvas.fill(cellAt(i, c), redToBlue().at(scale.share(
                                    predictions.logits[i * classes + c])));
  const Rectangle cells = allCells(rows);
  canvas.frameAround(cells, kBlack, 1.0);
  drawColorBar(
      canvas,
      {cells.x + cells.width + kBarGap, cells.y, kBarWidth, cells.height},
      redToBlue(), scale, ticksOf(scale, kMostTicks));
  return canvas.image();
}

summary::Image drawAnswers(const Predictions &predictions,
                           const std::vector<unsigned> &labels,
                           std::size_t images) {
  const Rows rows = firstRows(predictions, labels, images);
  std::size_t right = 0;
  for (std::size_t i = 0; i < rows.count; ++i)
    right += rows.isRight(i);
  Canvas canvas =
      canvasFor(rows, "Predicted class (arg-max): " + std::to_string(right) +
                          " of " + std::to_string(rows.count) + " right");
  canvas.fill(allCells(rows), kEmpty);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const unsigned answer = predictions.answer(i);
    const Rectangle cell = cellAt(i, answer);
    canvas.fill(cell, rows.isRight(i) ? kRightColor : kWrongColor);
    TextStyle style;
    style.color = kWhite;
    style.weight = Weight::bold;
    style.size = 14.0;
    canvas.text(cell.x + cell.width / 2, cell.y + cell.height / 2,
                std::to_string(answer), style);
    if (!rows.isRight(i)) {
      const Rectangle missed = cellAt(i, labels[i]);
      canvas.frame({missed.x + 1.5, missed.y + 1.5, missed.width - 3.0,
                    missed.height - 3.0},
                   kRightColor, 3.0);
    }
  }
  canvas.frameAround(allCells(rows), kBlack, 1.0);
  return canvas.image();
}

} // namespace popscope::host
