// Names of the small enumerations.
#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStreamType.hpp>
#include <poplar/Error.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VectorLayout.hpp>
#include <poplar/exceptions.hpp>

#include <array>
#include <ostream>
#include <string_view>

namespace poplar {
namespace {

template <std::size_t N, class Enum>
std::string nameIn(const std::array<const char *, N> &names, Enum value) {
  const auto index = std::size_t(value);
  return index < N ? names[index] : "<" + std::to_string(index) + ">";
}

constexpr std::array<const char *, 3> kTargetTypes{"IPU", "IPU_MODEL", "CPU"};

constexpr std::array<const char *, 4> kTensorCloneMethods{
    "PRESERVE_ORDER_AND_ALIASES", "CREATE_NEW_ORDER",
    "PRESERVE_ORDER_UNLESS_ALIASES",
    "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES"};

constexpr std::array<const char *, 2> kVariableMappingMethods{"NONE", "LINEAR"};

constexpr std::array<const char *, 7> kVectorLayouts{
    "NotAVector",  "Span",        "ShortSpan",   "OnePtr",
    "ScaledPtr32", "ScaledPtr64", "ScaledPtr128"};

constexpr std::array<const char *, 7> kVectorListLayouts{
    "NotAVector",   "OnePtr", "ScaledPtr32",   "ScaledPtr64",
    "ScaledPtr128", "DeltaN", "DeltaNElements"};

constexpr std::array<const char *, 4> kRecoveryActions{
    "IPU_RESET", "LINK_RESET", "PARTITION_RESET", "FULL_RESET"};

constexpr std::array<const char *, 19> kErrorCodes{
    "NONE",
    "UNKNOWN",
    "TRAP",
    "FLOATING_POINT_INVALID_OPERATION",
    "FLOATING_POINT_DIVIDE_BY_ZERO",
    "FLOATING_POINT_OVERFLOW",
    "TILE_MEMORY_BANK_CONFLICT",
    "INVALID_EXCHANGE_CONFIGURATION",
    "INVALID_ADDRESS",
    "INVALID_OPERAND",
    "INVALID_PROGRAM_COUNTER",
    "INVALID_INSTRUCTION",
    "EXCHANGE_ERROR",
    "MEMORY_ERROR",
    "IPUSOFTERR",
    "LINK_DOWN",
    "HOST_LINK_DOWN",
    "HOST_SYNC_TIMEOUT",
    "IPU_MEMORY_FAILURE"};

} // namespace

std::string toString(TargetType type) { return nameIn(kTargetTypes, type); }

std::ostream &operator<<(std::ostream &os, TargetType type) {
  return os << toString(type);
}

std::string toString(const TensorCloneMethod &method) {
  return nameIn(kTensorCloneMethods, method);
}

std::ostream &operator<<(std::ostream &os, const TensorCloneMethod &method) {
  return os << toString(method);
}

std::string toString(const VariableMappingMethod &method) {
  return nameIn(kVariableMappingMethods, method);
}

std::ostream &operator<<(std::ostream &os,
                         const VariableMappingMethod &method) {
  return os << toString(method);
}

namespace layout {

std::string to_string(Vector layout) { return nameIn(kVectorLayouts, layout); }

std::string to_string(VectorList layout) {
  return nameIn(kVectorListLayouts, layout);
}

std::ostream &operator<<(std::ostream &os, Vector layout) {
  return os << to_string(layout);
}

std::ostream &operator<<(std::ostream &os, VectorList layout) {
  return os << to_string(layout);
}

} // namespace layout

std::string toString(RecoveryAction action) {
  return nameIn(kRecoveryActions, action);
}

std::ostream &operator<<(std::ostream &os, RecoveryAction action) {
  return os << toString(action);
}

std::string errorCodeToString(ErrorCode code) {
  return nameIn(kErrorCodes, code);
}

ErrorCode errorCodeFromString(const std::string &name) {
  for (std::size_t i = 0; i < kErrorCodes.size(); ++i)
    if (kErrorCodes[i] == name)
      return ErrorCode(i);
  throw parse_error("no error code is called '" + name + "'");
}

std::ostream &operator<<(std::ostream &os, ErrorCode code) {
  return os << errorCodeToString(code);
}

bool isDeviceToHost(DataStreamType type) {
  return type == DataStreamType::DeviceToHostFIFO ||
         type == DataStreamType::DeviceToHostBuffer;
}

bool isHostToDevice(DataStreamType type) { return !isDeviceToHost(type); }

bool isRemoteBuffer(DataStreamType type) {
  return type == DataStreamType::HostToDeviceBuffer ||
         type == DataStreamType::DeviceToHostBuffer;
}

} // namespace poplar
