#include "poplar/values/half.hpp"
#include "poplar/values/quarter.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace ipumodel {
namespace {

using poplar::QuarterMetadata;
using poplar::TypeTraits;

// The representations, on host and device.
struct Half {
  std::uint16_t bits;
};
struct Quarter {
  std::uint8_t bits;
};
template <class T> struct As { using Type = T; };

template <class T> T load(const void *p, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char *>(p) + i * sizeof(T), sizeof(T));
  return value;
}

template <class T> void store(void *p, std::size_t i, T value) {
  std::memcpy(static_cast<char *>(p) + i * sizeof(T), &value, sizeof(T));
}

template <class Visitor>
void visitDeviceType(poplar::Type type, Visitor &&visit) {
  switch (codeOf(type)) {
  case TypeCode::boolean:
    return visit(As<bool>());
  case TypeCode::character:
  case TypeCode::signedChar:
    return visit(As<std::int8_t>());
  case TypeCode::unsignedChar:
  case TypeCode::quarterMetadata:
    return visit(As<std::uint8_t>());
  case TypeCode::unsignedShort:
    return visit(As<std::uint16_t>());
  case TypeCode::signedShort:
    return visit(As<std::int16_t>());
  case TypeCode::unsignedInt:
    return visit(As<std::uint32_t>());
  case TypeCode::signedInt:
    return visit(As<std::int32_t>());
  case TypeCode::unsignedLong:
  case TypeCode::unsignedLongLong:
    return visit(As<std::uint64_t>());
  case TypeCode::signedLong:
  case TypeCode::signedLongLong:
    return visit(As<std::int64_t>());
  case TypeCode::quarter:
    return visit(As<Quarter>());
  case TypeCode::half:
    return visit(As<Half>());
  case TypeCode::float32:
    return visit(As<float>());
  case TypeCode::invalid:
    break;
  }
  throw poplar::type_error("cannot convert values of an invalid type");
}

template <class Visitor>
void visitHostType(const TypeTraits &host, Visitor &&visit) {
  if (host.isFloat) {
    switch (host.size) {
    case sizeof(Half):
      return visit(As<Half>());
    case sizeof(float):
      return visit(As<float>());
    case sizeof(double):
      return visit(As<double>());
    case sizeof(long double):
      return visit(As<long double>());
    }
  } else if (host.isIntegral) {
    switch (host.size) {
    case 1:
      return host.isSigned ? visit(As<std::int8_t>())
                           : visit(As<std::uint8_t>());
    case 2:
      return host.isSigned ? visit(As<std::int16_t>())
                           : visit(As<std::uint16_t>());
    case 4:
      return host.isSigned ? visit(As<std::int32_t>())
                           : visit(As<std::uint32_t>());
    case 8:
      return host.isSigned ? visit(As<std::int64_t>())
                           : visit(As<std::uint64_t>());
    }
  }
  throw poplar::type_error("cannot convert a host type of " +
                           std::to_string(host.size) +
                           " bytes that is not a number");
}

// The limits are powers of two, exact in every float type.
template <class To, class From> bool holds(From value) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_floating_point_v<From>) {
    const From whole = std::trunc(value);
    return whole >= From(Limits::min()) &&
           whole < std::ldexp(From(1), Limits::digits);
  } else if constexpr (std::is_signed_v<From> && std::is_signed_v<To>) {
    return value >= Limits::min() && value <= Limits::max();
  } else if constexpr (std::is_signed_v<From>) {
    return value >= 0 && std::make_unsigned_t<From>(value) <= Limits::max();
  } else {
    return value <= std::make_unsigned_t<To>(Limits::max());
  }
}

template <class To, class From> To toInteger(From value, OnOverflow policy) {
  if (holds<To>(value))
    return To(value);
  if (policy == OnOverflow::fail)
    throw poplar::overflow_error(
        "value " + std::to_string(value) + " does not fit " +
        (std::is_signed_v<To> ? "a signed" : "an unsigned") + " integer of " +
        std::to_string(sizeof(To)) + " bytes");
  if constexpr (std::is_integral_v<From>)
    return To(value);
  if (value != value)
    return 0;
  return value < 0 ? std::numeric_limits<To>::min()
                   : std::numeric_limits<To>::max();
}

struct Policy {
  OnOverflow onOverflow;
  QuarterMetadata metadata;
};

template <class From> auto decode(From value, const Policy &policy) {
  if constexpr (std::is_same_v<From, Half>)
    return halfToFloat(value.bits);
  else if constexpr (std::is_same_v<From, Quarter>)
    return quarterToFloat(value.bits, policy.metadata);
  else
    return value;
}

template <class To, class From> To encode(From value, const Policy &policy) {
  if constexpr (std::is_same_v<To, Half>) {
    if constexpr (std::is_same_v<From, float>)
      return {floatToHalf(value)};
    else
      return {doubleToHalf(double(value))};
  } else if constexpr (std::is_same_v<To, Quarter>) {
    return {doubleToQuarter(double(value), policy.metadata,
                            policy.onOverflow == OnOverflow::saturate
                                ? QuarterOverflow::saturate
                                : QuarterOverflow::nan)};
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<From, bool> ||
                       std::is_floating_point_v<To>) {
    return To(value);
  } else {
    return toInteger<To>(value, policy.onOverflow);
  }
}

template <class T> bool isAligned(const void *p) {
  return reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0;
}

template <class To, class From>
void convertArray(const void *src, std::size_t count, void *dst,
                  const Policy &policy) {
  if constexpr (std::is_same_v<To, From>) {
    std::copy_n(static_cast<const char *>(src), count * sizeof(To),
                static_cast<char *>(dst));
    return;
  }
  if constexpr (std::is_same_v<To, Half> && std::is_same_v<From, float>) {
    if (isAligned<float>(src) && isAligned<Half>(dst))
      return floatsToHalves(static_cast<const float *>(src),
                            static_cast<std::uint16_t *>(dst), count);
  }
  if constexpr (std::is_same_v<To, float> && std::is_same_v<From, Half>) {
    if (isAligned<Half>(src) && isAligned<float>(dst))
      return halvesToFloats(static_cast<const std::uint16_t *>(src),
                            static_cast<float *>(dst), count);
  }
  for (std::size_t i = 0; i < count; ++i)
    store(dst, i, encode<To>(decode(load<From>(src, i), policy), policy));
}

} // namespace

void convertToDevice(poplar::Type type, const TypeTraits &hostType,
                     const void *host, std::size_t count, void *device,
                     OnOverflow onOverflow, const QuarterMetadata &metadata) {
  const Policy policy{onOverflow, metadata};
  visitDeviceType(type, [&](auto to) {
    visitHostType(hostType, [&](auto from) {
      convertArray<typename decltype(to)::Type, typename decltype(from)::Type>(
          host, count, device, policy);
    });
  });
}

void convertFromDevice(poplar::Type type, const TypeTraits &hostType,
                       const void *device, std::size_t count, void *host,
                       const QuarterMetadata &metadata) {
  const Policy policy{OnOverflow::wrap, metadata};
  visitDeviceType(type, [&](auto from) {
    visitHostType(hostType, [&](auto to) {
      convertArray<typename decltype(to)::Type, typename decltype(from)::Type>(
          device, count, host, policy);
    });
  });
}

} // namespace ipumodel

namespace poplar {

void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         const TypeTraits &hostType, const void *host,
                         std::size_t count, void *device, bool nanOnOverflow) {
  ipumodel::convertToDevice(type, hostType, host, count, device,
                            nanOnOverflow ? ipumodel::OnOverflow::wrap
                                          : ipumodel::OnOverflow::saturate,
                            metadata);
}

void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata,
                           const TypeTraits &hostType, const void *device,
                           std::size_t count, void *host) {
  ipumodel::convertFromDevice(type, hostType, device, count, host, metadata);
}

} // namespace poplar
