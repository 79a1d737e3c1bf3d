// A curve in one line of text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::text {

enum class Alphabet { ascii, utf8 };

// Of the terminal, as LC_ALL, LC_CTYPE and LANG say, in this order.
Alphabet alphabetOfTerminal();

// Divides a series of known length into the cells of a line.
class Sparkline {
public:
  // At most `columns` cells, one per value if there are fewer values.
  Sparkline(std::size_t values, std::size_t columns);

  // The next value of the series. Values beyond its length are ignored.
  void add(double value);

  // A character per cell, by its mean between the lowest and the highest mean:
  // in UTF-8 a bar of that height, in ASCII one of "_.:-=+*#". A cell with a
  // value that is not finite is an x.
  std::string text(Alphabet alphabet) const;

private:
  struct Cell {
    double mean = 0;
    std::size_t finite = 0;
    bool isBad = false; // has a value that is not finite
  };

  const std::size_t values_;
  std::size_t added_ = 0;
  std::vector<Cell> cells_;
};

} // namespace popscope::text
