#include "host/pictures/canvas.hpp"

#include <cairo.h>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace popscope::host {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr Color kNoValue{1.0, 0.0, 1.0};

void setColor(cairo_t *context, const Color &color) {
  cairo_set_source_rgb(context, color.red, color.green, color.blue);
}

double startOf(Anchor anchor, double width) {
  switch (anchor) {
  case Anchor::left:
    return 0.0;
  case Anchor::middle:
    return -width / 2.0;
  case Anchor::right:
    return -width;
  }
  return 0.0;
}

} // namespace

Color shadeOfBlue(double share) {
  if (std::isnan(share))
    return kNoValue;
  const double s = std::fmin(1.0, std::fmax(0.0, share));
  constexpr Color kDark{0.03, 0.19, 0.42};
  return {1.0 - s * (1.0 - kDark.red), 1.0 - s * (1.0 - kDark.green),
          1.0 - s * (1.0 - kDark.blue)};
}

bool isDark(const Color &color) {
  // Rec. 709 weights: the eye sees green best.
  return 0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue < 0.5;
}

void Canvas::Release::operator()(_cairo *context) const {
  cairo_destroy(context);
}
void Canvas::Release::operator()(_cairo_surface *surface) const {
  cairo_surface_destroy(surface);
}

Canvas::Canvas(unsigned width, unsigned height)
    : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, int(width),
                                          int(height))),
      context_(cairo_create(surface_.get())) {
  const cairo_status_t status = cairo_status(context_.get());
  if (status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error(std::string("[host] cannot draw: ") +
                             cairo_status_to_string(status));
  cairo_select_font_face(context_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  fill({0.0, 0.0, double(width), double(height)}, kWhite);
}

void Canvas::fill(const Rectangle &area, const Color &color) {
  setColor(context_.get(), color);
  cairo_rectangle(context_.get(), area.x, area.y, area.width, area.height);
  cairo_fill(context_.get());
}

void Canvas::frame(const Rectangle &area, const Color &color,
                   double lineWidth) {
  setColor(context_.get(), color);
  cairo_set_line_width(context_.get(), lineWidth);
  cairo_rectangle(context_.get(), area.x, area.y, area.width, area.height);
  cairo_stroke(context_.get());
}

void Canvas::text(double x, double y, const std::string &text,
                  const TextStyle &style) {
  cairo_t *context = context_.get();
  cairo_save(context);
  setColor(context, style.color);
  cairo_set_font_size(context, style.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, text.c_str(), &extents);
  cairo_translate(context, x, y);
  cairo_rotate(context, -style.degrees * kPi / 180.0);
  // The height of capitals, so that words with and without descenders stand
  // on one line.
  constexpr double kCapHeight = 0.72;
  cairo_move_to(context, startOf(style.anchor, extents.x_advance),
                kCapHeight * style.size / 2.0);
  cairo_show_text(context, text.c_str());
  cairo_restore(context);
}

summary::Image Canvas::image() const {
  cairo_surface_t *surface = surface_.get();
  cairo_surface_flush(surface);
  const auto width = std::size_t(cairo_image_surface_get_width(surface));
  const auto height = std::size_t(cairo_image_surface_get_height(surface));
  const auto stride = std::size_t(cairo_image_surface_get_stride(surface));
  const std::uint8_t *data = cairo_image_surface_get_data(surface);

  summary::Image image{std::uint32_t(width),
                       std::uint32_t(height),
                       summary::PixelFormat::rgb,
                       {}};
  image.pixels.reserve(width * height * 3);
  for (std::size_t y = 0; y < height; ++y) {
    // A pixel is a native 32-bit word: unused, red, green, blue.
    const auto *row =
        reinterpret_cast<const std::uint32_t *>(data + y * stride);
    for (std::size_t x = 0; x < width; ++x)
      for (const unsigned shift : {16u, 8u, 0u})
        image.pixels.push_back(std::uint8_t(row[x] >> shift));
  }
  return image;
}

} // namespace popscope::host
