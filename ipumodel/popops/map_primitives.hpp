// The loops that element-wise programs are made of.
#pragma once

#include <poplar/Type.hpp>

#include <cstddef>
#include <cstdint>

namespace popops {

// How elements are held while a program computes. HALF is held as float, and
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
  unary,        // code: expr::UnaryOpType
  binary,       // code: expr::BinaryOpType
  ternary,      // code: expr::TernaryOpType
  convert,      // code: the Lane converted to
  roundHalf,    // float to the nearest half
  snapHalf,     // a, but the nearest half if that differs by less than a * b
  fusedProduct, // code: FusedProduct
  gate,         // a where b is above zero, else zero
};

// A product of floats, rounded as usual, and a sum or difference with it.
enum class FusedProduct : std::uint8_t {
  plus,           // a * b + c
  minus,          // a * b - c
  subtractedFrom, // c - a * b
};

// Writes `count` elements of one array from those of others, all without gaps.
// The output may be one of the inputs if their elements have the same size.
using Primitive = void (*)(void *out, const void *const *in, std::size_t count);

// The loop for operands of that kind on this CPU; null if there is none.
Primitive findPrimitive(MapOp op, unsigned code, Lane operands);

} // namespace popops
