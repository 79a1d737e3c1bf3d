#include "summary/tag_table.hpp"

#include "summary/equal_bytes.hpp"

#include <stdexcept>
#include <utility>

namespace popscope::summary {
namespace {

constexpr std::size_t kFirstSlots = 64;

} // namespace

TagTable::TagTable() : slots_(kFirstSlots) {}

// The slot that has the tag, or the free one where it belongs.
TagTable::Slot &TagTable::slotOf(const Tag &tag) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = tag.hash() & mask;; i = (i + 1) & mask) {
    Slot &slot = slots_[i];
    if (!slot.state || (slot.hash == tag.hash() &&
                        haveEqualBytes(slot.state->tag.name(), tag.name())))
      return slot;
  }
}

void TagTable::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (Slot &slot : old)
    if (slot.state)
      slotOf(slot.state->tag) = std::move(slot);
}

TagState &TagTable::operator()(const Tag &tag, std::string_view plugin) {
  Slot *slot = &slotOf(tag);
  if (!slot->state) {
    if (2 * (used_ + 1) > slots_.size()) {
      grow();
      slot = &slotOf(tag);
    }
    slot->hash = tag.hash();
    slot->state =
        std::make_unique<TagState>(TagState{tag, std::string(plugin), 0, 0});
    ++used_;
  }
  TagState &state = *slot->state;
  if (!haveEqualBytes(state.plugin, plugin))
    throw std::invalid_argument("[summary] tag \"" + tag.name() +
                                "\" holds values for \"" + state.plugin +
                                "\" and cannot take one for \"" +
                                std::string(plugin) + "\"");
  return state;
}

} // namespace popscope::summary
