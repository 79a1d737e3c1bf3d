// Error codes of a running device.
#pragma once

#include <iosfwd>
#include <string>

namespace poplar {

enum class ErrorCode : unsigned {
  NONE,
  UNKNOWN,
  TRAP,
  FLOATING_POINT_INVALID_OPERATION,
  FLOATING_POINT_DIVIDE_BY_ZERO,
  FLOATING_POINT_OVERFLOW,
  TILE_MEMORY_BANK_CONFLICT,
  INVALID_EXCHANGE_CONFIGURATION,
  INVALID_ADDRESS,
  INVALID_OPERAND,
  INVALID_PROGRAM_COUNTER,
  INVALID_INSTRUCTION,
  EXCHANGE_ERROR,
  MEMORY_ERROR,
  IPUSOFTERR,
  LINK_DOWN,
  HOST_LINK_DOWN,
  HOST_SYNC_TIMEOUT,
  IPU_MEMORY_FAILURE
};

// The enumerator's name.
std::string errorCodeToString(ErrorCode code);
// Throws parse_error if there is no such enumerator.
ErrorCode errorCodeFromString(const std::string &name);
std::ostream &operator<<(std::ostream &os, ErrorCode code);

} // namespace poplar
