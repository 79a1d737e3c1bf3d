// Names that someone may have meant by one that does not exist.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::text {

// Up to three names that contain something like the text, the nearest first, as
// in "loss, loss/test". Quotes and the signs of globs are ignored.
std::string nearestNames(const std::string &text,
                         const std::vector<std::string> &names);
// The first of them; there must be one.
std::string nearestName(const std::string &text,
                        const std::vector<std::string> &names);
// The one that is nearest as a whole, if no more than half of its letters have
// to be changed; else empty.
std::string similarName(const std::string &text,
                        const std::vector<std::string> &names);

// The characters to change, add or leave out to turn one into the other;
// letters of either case are alike.
std::size_t changesBetween(const std::string &a, const std::string &b);

} // namespace popscope::text
