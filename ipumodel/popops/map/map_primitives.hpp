// The loops that execute the steps of element-wise programs.
#pragma once

#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>

namespace ipumodel {

// The type of elements during the computation. HALF is computed as float, and
// rounded to half after each operation that is not exact.
enum class Lane : std::uint8_t {
  float32,
  boolean, // one byte, 0 or 1
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
};
constexpr std::size_t kNumLanes = 10;

constexpr std::size_t sizeOf(Lane lane) {
  constexpr std::size_t sizes[] = {4, 1, 1, 1, 2, 2, 4, 4, 8, 8};
  return sizes[static_cast<std::size_t>(lane)];
}

// Throws poplibs_error for types without arithmetic.
Lane laneOf(poplar::Type type);

enum class MapOp : std::uint8_t {
  unary,        // code: popops::expr::UnaryOpType
  binary,       // code: popops::expr::BinaryOpType
  ternary,      // code: popops::expr::TernaryOpType
  convert,      // code: the Lane converted to
  roundHalf,    // float to the nearest half
  snapHalf,     // a, or the nearest half if that differs by less than a * b
  fusedProduct, // code: FusedProduct
  gate,         // a where b > 0, else 0
  choose,       // a where c > 0, else b
  // Not of programs as they are built:
  chooseProduct, // a * b where e > 0, else c * d
};
constexpr std::size_t kMaxArity = 5;

// A product of floats and a sum or difference, each rounded as usual.
enum class FusedProduct : std::uint8_t {
  plus,           // a * b + c
  minus,          // a * b - c
  subtractedFrom, // c - a * b
  ofDifference,   // (a - b) * c
};

// Computes `count` elements of one array from those of others, all contiguous.
// The output may be one of the inputs if their elements have the same size.
using Primitive = void (*)(void *out, const void *const *in, std::size_t count);

// The loop for operands of this kind on this CPU; null if there is none.
Primitive findPrimitive(MapOp op, unsigned code, Lane operands);

} // namespace ipumodel
