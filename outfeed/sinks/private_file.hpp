// Files that only their owner may read, as whole tensors may hold what a model
// was trained with.
#pragma once

#include <filesystem>

namespace popscope::outfeed {

// Makes the file, or takes one that is there: afterwards it is the owner's
// alone. Refuses a link in its place. Throws std::system_error.
void makePrivate(const std::filesystem::path &file);

} // namespace popscope::outfeed
