// How the vectors of a vertex field are laid out in the vertex state.
#pragma once

#include <iosfwd>
#include <string>

namespace poplar {
namespace layout {

enum class Vector {
  NotAVector,
  Span,
  ShortSpan,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128
};

enum class VectorList {
  NotAVector,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements
};

// The enumerator's name.
std::string to_string(Vector layout);
std::string to_string(VectorList layout);
std::ostream &operator<<(std::ostream &os, Vector layout);
std::ostream &operator<<(std::ostream &os, VectorList layout);

} // namespace layout
} // namespace poplar
