#include "text/folded.hpp"

#include "text/terminal.hpp"

#include <algorithm>

namespace popscope::text {

std::string folded(const std::string &line, std::size_t columns,
                   const std::string &indent, const std::string &gap) {
  std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  std::string result = line.substr(0, begin);
  std::size_t used = begin; // columns of the last line
  for (bool isFirst = true; begin <= line.size(); isFirst = false) {
    const std::size_t end = std::min(line.find(gap, begin), line.size());
    const std::string part = line.substr(begin, end - begin);
    const std::size_t width = columnsOf(part);
    begin = end + gap.size();
    if (isFirst || used + gap.size() + width <= columns) {
      const std::string between = isFirst ? "" : gap;
      result += between + part;
      used += between.size() + width;
    } else {
      result += "\n" + indent + part;
      used = indent.size() + width;
    }
  }
  return result;
}

} // namespace popscope::text
