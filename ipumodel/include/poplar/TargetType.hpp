// The kinds of device a program can run on.
#pragma once

#include <iosfwd>
#include <string>

namespace poplar {

enum class TargetType { IPU, IPU_MODEL, CPU };

std::string toString(TargetType type);
std::ostream &operator<<(std::ostream &os, TargetType type);

} // namespace poplar
