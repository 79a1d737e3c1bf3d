// What a writer remembers of each tag it has written.
#pragma once

#include "summary/encoding/short_bytes.hpp"
#include "summary/tag.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

struct TagState {
  Tag tag;
  std::string plugin;
  std::uint64_t toSkip = 0;      // values to leave out before the next
  std::uint32_t describedIn = 0; // number of the file that has its metadata
};

// A hash table with open addressing: it is asked once per value, inline, and a
// tag brings its hash along.
class TagTable {
public:
  TagTable();

  // The state of a tag, new if it was never seen; it stays where it is. Throws
  // std::invalid_argument if the tag belongs to another plugin: readers would
  // misread the value.
  TagState &operator()(const Tag &tag, std::string_view plugin);

private:
  struct Slot {
    std::uint64_t hash = 0;
    std::unique_ptr<TagState> state; // null if the slot is free
  };

  // The slot that has the tag, or the free one where it belongs.
  Slot &slotOf(const Tag &tag);
  Slot &add(const Tag &tag, std::string_view plugin);
  void grow();
  [[noreturn]] static void refuse(const TagState &state,
                                  std::string_view plugin);

  std::vector<Slot> slots_; // a power of two, at most half of it used
  std::size_t used_ = 0;
};

inline TagTable::Slot &TagTable::slotOf(const Tag &tag) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = tag.hash() & mask;; i = (i + 1) & mask) {
    Slot &slot = slots_[i];
    if (!slot.state || (slot.hash == tag.hash() &&
                        haveEqualBytes(slot.state->tag.name(), tag.name())))
      return slot;
  }
}

inline TagState &TagTable::operator()(const Tag &tag, std::string_view plugin) {
  Slot *slot = &slotOf(tag);
  if (!slot->state)
    slot = &add(tag, plugin);
  TagState &state = *slot->state;
  if (!haveEqualBytes(state.plugin, plugin))
    refuse(state, plugin);
  return state;
}

} // namespace popscope::summary
