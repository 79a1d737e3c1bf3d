// Tables for terminals, and the format of their numbers.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ipumodel {

std::string withCommas(std::uint64_t value);    // 1,234,567
std::string asBytes(std::uint64_t bytes);       // 512 B, 1.2 MiB
std::string asPercent(double part, double all); // 12.3%; empty for 0 of 0
std::string asBar(double part, double all);     // [###.................]

// Rows of cells, printed with an indent of four. Columns are as wide as needed;
// all but the last are right-aligned.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> header);
  void add(std::vector<std::string> row);
  void print(std::ostream &os) const;

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace ipumodel
