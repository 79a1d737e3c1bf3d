// The text format of program::PrintTensor.
#pragma once

namespace poplar {

class PrintTensorFmt {
public:
  enum class FloatFormat { Auto = 0, Fixed = 1, Scientific = 2, None = 3 };

  PrintTensorFmt(unsigned summariseThreshold = 1000, unsigned edgeItems = 3,
                 unsigned maxLineWidth = 75, unsigned digits = 8,
                 FloatFormat floatFormat = FloatFormat::Auto,
                 char separator = ' ', char openBracket = '[',
                 char closeBracket = ']')
      : summariseThreshold(summariseThreshold), edgeItems(edgeItems),
        maxLineWidth(maxLineWidth), digits(digits), floatFormat(floatFormat),
        separator(separator), openBracket(openBracket),
        closeBracket(closeBracket) {}

  // All elements with all their digits, and rows are not wrapped.
  static PrintTensorFmt disableFormatting() {
    return PrintTensorFmt(~0u, 0, ~0u, 8, FloatFormat::None);
  }

  unsigned summariseThreshold; // above this number of elements only the edges
                               // are printed
  unsigned edgeItems;
  unsigned maxLineWidth;
  unsigned digits; // of a float, before and after the point together
  FloatFormat floatFormat;
  char separator;
  char openBracket;
  char closeBracket;
};

} // namespace poplar
