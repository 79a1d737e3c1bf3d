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

// From white at 0 to dark blue at 1; NaN has a colour that is not blue.
Color shadeOfBlue(double share);
// Whether white text reads better on it than black.
bool isDark(const Color &color);

enum class Anchor { left, middle, right };

struct TextStyle {
  double size = 12.0; // in pixels
  Color color = kBlack;
  Anchor anchor = Anchor::middle;
  double degrees = 0.0; // counterclockwise
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
