// Numbers as people and files spell them.
#pragma once

#include <cstdint>
#include <string>

namespace popscope::text {

std::string withThousands(double value);    // "1,234,567"
std::string countText(std::uint64_t value); // likewise
// "1 record", "1,200 records": the noun is one that takes an s.
std::string counted(std::uint64_t count, const std::string &noun);
std::string fourDecimals(double value);
// At most so many significant digits: "31", "0.0021", "2.1e4", "inf".
std::string significant(double value, int digits);
std::string ordinal(unsigned long value); // "1st", "2nd", "11th"
// The shortest decimal that reads back as the same float: 0.1, not 0.100000001.
std::string shortestDecimal(float value);

// The shortest decimal that reads back as the same double, spelt as Python
// spells it (1.0, 1e-05, nan), which is what TensorBoard's CSV files contain.
std::string pythonNumber(double value);

// JSON. Numbers that are not finite become the strings "NaN", "Infinity" and
// "-Infinity", as TensorBoard sends them.
std::string jsonNumber(double value);

} // namespace popscope::text
