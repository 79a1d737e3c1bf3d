// What someone may have meant by a name that is not there.
#pragma once

#include <string>
#include <vector>

namespace popscope::text {

// The up to three names with parts most like the text, the nearest first, as in
// "loss, loss/test". The signs of globs and quotes count for nothing.
std::string nearestNames(const std::string &text,
                         const std::vector<std::string> &names);

} // namespace popscope::text
