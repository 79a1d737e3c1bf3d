#include "host/pictures/canvas.hpp"

#include <cairo.h>
#include <cassert>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace popscope::host {

namespace {

constexpr double kPi = 3.14159265358979323846;

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

void Canvas::frameAround(const Rectangle &area, const Color &color,
                         double lineWidth) {
  const double half = lineWidth / 2.0;
  frame({area.x - half, area.y - half, area.width + lineWidth,
         area.height + lineWidth},
        color, lineWidth);
}

void Canvas::picture(unsigned x, unsigned y, const summary::Image &grey) {
  assert(grey.format == summary::PixelFormat::grey && "one byte per pixel");
  // A word for each pixel: unused, red, green, blue.
  std::vector<std::uint32_t> words(grey.pixels.begin(), grey.pixels.end());
  for (std::uint32_t &word : words)
    word *= 0x010101u;
  const std::unique_ptr<_cairo_surface, Release> surface(
      cairo_image_surface_create_for_data(
          reinterpret_cast<std::uint8_t *>(words.data()), CAIRO_FORMAT_RGB24,
          int(grey.width), int(grey.height), int(grey.width) * 4));
  cairo_set_source_surface(context_.get(), surface.get(), x, y);
  cairo_paint(context_.get());
  // The surface and its words end here; the context must not keep them.
  setColor(context_.get(), kBlack);
}

void Canvas::text(double x, double y, const std::string &text,
                  const TextStyle &style) {
  cairo_t *context = context_.get();
  cairo_save(context);
  cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         style.weight == Weight::bold
                             ? CAIRO_FONT_WEIGHT_BOLD
                             : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, text.c_str(), &extents);
  cairo_translate(context, x, y);
  cairo_rotate(context, -style.degrees * kPi / 180.0);
  // The height of capitals, so that words with and without descenders stand
  // on one line.
  constexpr double kCapHeight = 0.72;
  const double left = startOf(style.anchor, extents.x_advance);
  const double baseline = kCapHeight * style.size / 2.0;
  if (style.halo > 0.0) {
    cairo_move_to(context, left, baseline);
    cairo_text_path(context, text.c_str());
    setColor(context, kWhite);
    cairo_set_line_width(context, 2.0 * style.halo);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(context);
  }
  setColor(context, style.color);
  cairo_move_to(context, left, baseline);
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
