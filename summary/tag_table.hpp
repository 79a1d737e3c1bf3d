// What a writer remembers of each tag it has written.
#pragma once

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

// A hash table with open addressing: it is asked once per value, and a tag
// brings its hash along.
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

  Slot &slotOf(const Tag &tag);
  void grow();

  std::vector<Slot> slots_; // a power of two, at most half of it used
  std::size_t used_ = 0;
};

} // namespace popscope::summary
