#include "poplar/plan/fusion/chain_uses.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

bool isBefore(const OperandUse &a, const OperandUse &b) {
  return a.link != b.link ? a.link < b.link : a.operand < b.operand;
}

} // namespace

OperandUses::OperandUses(const Chain &chain) {
  for (std::size_t link = 0; link < chain.links.size(); ++link) {
    const std::vector<StageOperands::Item> &items = chain.links[link].items;
    for (std::size_t i = 0; i < items.size(); ++i)
      uses_[items[i].offset].push_back({link, i});
  }
}

OperandUses::Range OperandUses::at(std::size_t offset) const {
  const auto found = uses_.find(offset);
  if (found == uses_.end())
    return {nullptr, nullptr};
  const std::vector<OperandUse> &uses = found->second;
  return {uses.data(), uses.data() + uses.size()};
}

OperandUses::Range OperandUses::before(std::size_t link,
                                       std::size_t offset) const {
  const Range all = at(offset);
  return {all.first,
          std::lower_bound(all.first, all.last, OperandUse{link, 0}, isBefore)};
}

OperandUses::Range OperandUses::after(std::size_t link,
                                      std::size_t offset) const {
  return {before(link + 1, offset).last, at(offset).last};
}

void OperandUses::move(const OperandUse &use, std::size_t from,
                       std::size_t to) {
  std::vector<OperandUse> &old = uses_[from];
  old.erase(std::lower_bound(old.begin(), old.end(), use, isBefore));
  std::vector<OperandUse> &now = uses_[to];
  now.insert(std::lower_bound(now.begin(), now.end(), use, isBefore), use);
}

} // namespace ipumodel
