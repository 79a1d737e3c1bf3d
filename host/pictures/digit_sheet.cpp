#include "host/pictures/digit_sheet.hpp"

#include "host/pictures/canvas.hpp"

#include <algorithm>
#include <string>

namespace popscope::host {

namespace {

constexpr double kImageSide = 48.0;
constexpr double kGap = 4.0;
constexpr Color kRight{0.0, 0.75, 0.1};
constexpr Color kWrong{1.0, 0.1, 0.1};

// White on black, as the digits were written, brightest pixel white.
void drawImage(Canvas &canvas, const Dataset &set, std::size_t image, double x,
               double y) {
  const std::uint8_t *pixels = set.image(image);
  const double brightest = std::max<double>(
      1.0, *std::max_element(pixels, pixels + set.imagePixels()));
  const double width = kImageSide / double(set.columns);
  const double height = kImageSide / double(set.rows);
  for (std::size_t row = 0; row < set.rows; ++row)
    for (std::size_t column = 0; column < set.columns; ++column) {
      const double grey = pixels[row * set.columns + column] / brightest;
      canvas.fill(
          {x + double(column) * width, y + double(row) * height, width, height},
          {grey, grey, grey});
    }
}

} // namespace

summary::Image drawDigitSheet(const Dataset &set, std::size_t rows,
                              std::size_t columns,
                              const Predictions *predictions) {
  const double pitch = kImageSide + kGap;
  Canvas canvas(unsigned(double(columns) * pitch + kGap),
                unsigned(double(rows) * pitch + kGap));
  for (std::size_t i = 0; i < std::min(rows * columns, set.size()); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    const double x = kGap + double(column) * pitch;
    const double y = kGap + double(row) * pitch;
    drawImage(canvas, set, i, x, y);
    if (!predictions)
      continue;
    const unsigned answer = predictions->answer(i);
    TextStyle style;
    style.size = 16.0;
    style.color = answer == set.labels[i] ? kRight : kWrong;
    canvas.text(x + 7.0, y + kImageSide - 9.0, std::to_string(answer), style);
  }
  return canvas.image();
}

summary::Image drawModelOutput(const Predictions &predictions,
                               std::size_t images) {
  constexpr double kCell = 20.0;
  constexpr double kMargin = 40.0;
  const std::size_t rows = std::min(images, predictions.size());
  const unsigned classes = predictions.classes;
  Canvas canvas(unsigned(kMargin + classes * kCell + kGap),
                unsigned(kMargin + double(rows) * kCell + kGap));
  for (unsigned c = 0; c < classes; ++c)
    canvas.text(kMargin + (c + 0.5) * kCell, kMargin / 2, std::to_string(c));
  for (std::size_t i = 0; i < rows; ++i) {
    const double y = kMargin + double(i) * kCell;
    canvas.text(kMargin / 2, y + kCell / 2, std::to_string(i));
    for (unsigned c = 0; c < classes; ++c)
      canvas.fill({kMargin + c * kCell, y, kCell, kCell},
                  shadeOfBlue(predictions.row(i)[c]));
    canvas.frame({kMargin + predictions.answer(i) * kCell + 1.0, y + 1.0,
                  kCell - 2.0, kCell - 2.0},
                 kWrong, 2.0);
  }
  return canvas.image();
}

} // namespace popscope::host
