#include "summary/tag_table.hpp"

#include <stdexcept>
#include <utility>

namespace popscope::summary {
namespace {

constexpr std::size_t kFirstSlots = 64;

} // namespace

TagTable::TagTable() : slots_(kFirstSlots) {}

void TagTable::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (Slot &slot : old)
    if (slot.state)
      slotOf(slot.state->tag) = std::move(slot);
}

TagTable::Slot &TagTable::add(const Tag &tag, std::string_view plugin) {
  if (2 * (used_ + 1) > slots_.size())
    grow();
  Slot &slot = slotOf(tag);
  slot.hash = tag.hash();
  slot.state =
      std::make_unique<TagState>(TagState{tag, std::string(plugin), 0, 0});
  ++used_;
  return slot;
}

void TagTable::refuse(const TagState &state, std::string_view plugin) {
  throw std::invalid_argument("[summary] tag \"" + state.tag.name() +
                              "\" holds values for \"" + state.plugin +
                              "\" and cannot take one for \"" +
                              std::string(plugin) + "\"");
}

} // namespace popscope::summary
