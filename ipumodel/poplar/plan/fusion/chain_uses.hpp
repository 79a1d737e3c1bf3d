// Which links of a chain use an operand or a variable, in their order: passes
// ask this instead of going through all links for each operand.
#pragma once

#include "poplar/plan/fusion/chain.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace ipumodel {

// By number, since passes change operands while they ask.
struct OperandUse {
  std::size_t link, operand;
};

// Of operands, which are known by the offset of item 0 in memory.
class OperandUses {
public:
  explicit OperandUses(const Chain &chain);

  struct Range {
    const OperandUse *first, *last;
    const OperandUse *begin() const { return first; }
    const OperandUse *end() const { return last; }
    bool empty() const { return first == last; }
  };
  Range at(std::size_t offset) const;
  // By links before or after `link`.
  Range before(std::size_t link, std::size_t offset) const;
  Range after(std::size_t link, std::size_t offset) const;
  // An operand of a link is now at another place.
  void move(const OperandUse &use, std::size_t from, std::size_t to);

private:
  std::unordered_map<std::size_t, std::vector<OperandUse>> uses_;
};

} // namespace ipumodel
