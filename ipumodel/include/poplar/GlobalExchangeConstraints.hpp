// Limits on the bandwidth between IPUs.
#pragma once

#include <poplar/ArrayRef.hpp>

#include <vector>

namespace poplar {

// Traffic from one IPU to another.
struct GlobalExchangeFlow {
  unsigned src;
  unsigned dst;

  GlobalExchangeFlow(unsigned src, unsigned dst) : src(src), dst(dst) {}
};

// The flows together cannot exceed the bandwidth, given in bits per second.
struct GlobalExchangeConstraint {
  double bandwidth;
  std::vector<GlobalExchangeFlow> flows;

  GlobalExchangeConstraint(double bandwidth, ArrayRef<GlobalExchangeFlow> flows)
      : bandwidth(bandwidth), flows(flows.cloneAsVector()) {}
};

bool operator==(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b);
bool operator!=(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b);
bool operator<(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b);
bool operator==(const GlobalExchangeConstraint &a,
                const GlobalExchangeConstraint &b);
bool operator!=(const GlobalExchangeConstraint &a,
                const GlobalExchangeConstraint &b);
bool operator<(const GlobalExchangeConstraint &a,
               const GlobalExchangeConstraint &b);

} // namespace poplar
