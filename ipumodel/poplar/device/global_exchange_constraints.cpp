#include <poplar/GlobalExchangeConstraints.hpp>

#include <tuple>

namespace poplar {
namespace {

auto fields(const GlobalExchangeFlow &flow) {
  return std::tie(flow.src, flow.dst);
}

auto fields(const GlobalExchangeConstraint &constraint) {
  return std::tie(constraint.bandwidth, constraint.flows);
}

} // namespace

bool operator==(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
  return fields(a) == fields(b);
}

bool operator!=(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
  return fields(a) != fields(b);
}

bool operator<(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
  return fields(a) < fields(b);
}

bool operator==(const GlobalExchangeConstraint &a,
                const GlobalExchangeConstraint &b) {
  return fields(a) == fields(b);
}

bool operator!=(const GlobalExchangeConstraint &a,
                const GlobalExchangeConstraint &b) {
  return fields(a) != fields(b);
}

bool operator<(const GlobalExchangeConstraint &a,
               const GlobalExchangeConstraint &b) {
  return fields(a) < fields(b);
}

} // namespace poplar
