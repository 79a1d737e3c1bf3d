// What a writer remembers of each tag it has written.
#pragma once

#include "summary/tag.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace popscope::summary {

struct TagState {
  std::string plugin;
  std::uint64_t values = 0;      // offered so far, written or not
  std::uint32_t describedIn = 0; // number of the file that has its metadata
};

class TagTable {
public:
  // The state of a tag, new if it was never seen. Throws std::invalid_argument
  // if the tag belongs to another plugin: readers would misread the value.
  TagState &operator()(const Tag &tag, std::string_view plugin);

private:
  struct Hash {
    std::size_t operator()(const Tag &tag) const {
      return static_cast<std::size_t>(tag.hash());
    }
  };
  std::unordered_map<Tag, TagState, Hash> states_;
};

} // namespace popscope::summary
