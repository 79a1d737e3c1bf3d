#include "summary/tag_table.hpp"

#include <stdexcept>

namespace popscope::summary {

TagState &TagTable::operator()(const Tag &tag, std::string_view plugin) {
  const auto found = states_.find(tag);
  if (found == states_.end())
    return states_.emplace(tag, TagState{std::string(plugin)}).first->second;
  TagState &state = found->second;
  if (state.plugin != plugin)
    throw std::invalid_argument("[summary] tag \"" + tag.name() +
                                "\" holds values for \"" + state.plugin +
                                "\" and cannot take one for \"" +
                                std::string(plugin) + "\"");
  return state;
}

} // namespace popscope::summary
