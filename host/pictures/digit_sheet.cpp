#include "host/pictures/digit_sheet.hpp"

#include "host/pictures/canvas.hpp"
#include "host/pictures/smooth_image.hpp"

#include <algorithm>
#include <string>

namespace popscope::host {

namespace {

constexpr Color kThinFrame{0.4, 0.4, 0.4};
constexpr double kThickFrame = 4.0;

void drawLabel(Canvas &canvas, const Rectangle &image, unsigned label,
               const Color &color) {
  // Large, as TensorBoard's cards show the sheet at less than half its size.
  TextStyle style;
  style.size = 24.0;
  style.weight = Weight::bold;
  style.color = color;
  style.halo = 2.0;
  canvas.text(image.x + 9.0, image.y + image.height - 11.0,
              std::to_string(label), style);
}

} // namespace

summary::Image drawDigitSheet(const Dataset &set, std::size_t rows,
                              std::size_t columns,
                              const Predictions *predictions) {
  using Geometry = SheetGeometry;
  Canvas canvas(Geometry::start(columns), Geometry::start(rows));
  for (std::size_t i = 0; i < std::min(rows * columns, set.size()); ++i) {
    const unsigned x = Geometry::start(i % columns);
    const unsigned y = Geometry::start(i / columns);
    const Rectangle image{double(x), double(y), double(Geometry::kImageSide),
                          double(Geometry::kImageSide)};
    canvas.picture(x, y, smoothDarkOnWhite(set, i, Geometry::kImageSide));
    const unsigned label = predictions ? predictions->answer(i) : set.labels[i];
    const bool isRight = label == set.labels[i];
    if (isRight)
      canvas.frameAround(image, kThinFrame, 1.0);
    else
      canvas.frameAround(image, kWrongColor, kThickFrame);
    drawLabel(canvas, image, label, isRight ? kRightColor : kWrongColor);
  }
  return canvas.image();
}

} // namespace popscope::host
