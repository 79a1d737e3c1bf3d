// What a writer remembers about each tag it has written.
#pragma once

#include "summary/tag.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace popscope::summary {

struct TagState {
  std::string plugin;
  std::uint64_t toSkip = 0;      // values to leave out before the next one
  std::uint32_t describedIn = 0; // number of the file that has its metadata
};

class TagTable {
public:
  // The state of a tag, created if the tag is new; the reference stays valid.
  // Throws std::invalid_argument if the tag belongs to another plugin: readers
  // would misread the value.
  TagState &operator()(const Tag &tag, std::string_view plugin);

private:
  struct Hash {
    std::size_t operator()(const Tag &tag) const { return tag.hash(); }
  };

  std::unordered_map<Tag, TagState, Hash> states_;
};

} // namespace popscope::summary
