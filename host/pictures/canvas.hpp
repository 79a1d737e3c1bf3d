// A picture with text, drawn by cairo.
#pragma once

#include "summary/values/image.hpp"

#include <memory>
#include <string>

// Cairo's own types, named so that its header is not needed here.
struct _cairo;         // NOLINT(bugprone-reserved-identifier)
struct _cairo_surface; // NOLINT(bugprone-reserved-identifier)

namespace popscope::host {

struct Color {
  double red, green, blue; // 0..1
};

constexpr Color kBlack{0.0, 0.0, 0.0};
constexpr Color kWhite{1.0, 1.0, 1.0};

// For answers; matplotlib's green and red.
constexpr Color kRightColor{0.0, 128.0 / 255.0, 0.0};
constexpr Color kWrongColor{1.0, 0.0, 0.0};

enum class Anchor { left, middle, right };
enum class Weight { normal, bold };

struct TextStyle {
  double size = 12.0; // in pixels
  Color color = kBlack;
  Anchor anchor = Anchor::middle;
  double degrees = 0.0; // counterclockwise
  Weight weight = Weight::normal;
  double halo = 0.0; // width of a white rim, in pixels: for text on pictures
};

struct Rectangle {
  double x, y, width, height; // y grows downwards
};

class Canvas {
public:
  // A white canvas. Throws std::runtime_error if memory runs out.
  Canvas(unsigned width, unsigned height);

  void fill(const Rectangle &area, const Color &color);
  void frame(const Rectangle &area, const Color &color, double lineWidth = 1.0);
  // A frame that lies wholly outside the area.
  void frameAround(const Rectangle &area, const Color &color, double lineWidth);
  // Pixel for pixel, from the top left corner (x, y).
  void picture(unsigned x, unsigned y, const summary::Image &grey);
  // Vertically centred on y.
  void text(double x, double y, const std::string &text,
            const TextStyle &style = {});

  summary::Image image() const;

private:
  struct Release {
    void operator()(_cairo *context) const;
    void operator()(_cairo_surface *surface) const;
  };
  std::unique_ptr<_cairo_surface, Release> surface_;
  std::unique_ptr<_cairo, Release> context_;
};

} // namespace popscope::host
