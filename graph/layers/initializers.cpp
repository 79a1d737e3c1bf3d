#include "graph/layers/initializers.hpp"

#include <cmath>
#include <functional>
#include <numeric>

namespace popscope::graph {

namespace {

std::size_t product(const std::vector<std::size_t> &shape,
                    std::size_t dimensions) {
  return std::accumulate(shape.begin(),
                         shape.begin() + std::ptrdiff_t(dimensions),
                         std::size_t(1), std::multiplies<>());
}

// SplitMix64 (Steele, Lea and Flood, 2014). It gives the same numbers on every
// platform, which the distributions of the standard library do not.
class Generator {
public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, 1), a multiple of 2^-24 and so exact in float.
  double uniform() { return double(next() >> 40) * 0x1p-24; }

private:
  std::uint64_t state_;
};

// The FNV-1a hash.
std::uint64_t hashOf(const std::string &text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text)
    hash = (hash ^ std::uint8_t(c)) * 0x100000001b3u;
  return hash;
}

} // namespace

std::vector<float> glorotUniform(const std::vector<std::size_t> &shape,
                                 std::uint64_t seed) {
  const std::size_t rank = shape.size();
  const std::size_t window = product(shape, rank - 2);
  const double limit =
      std::sqrt(6.0 / double(window * (shape[rank - 2] + shape[rank - 1])));
  Generator generator(seed);
  std::vector<float> values(product(shape, rank));
  for (float &value : values)
    value = float((2.0 * generator.uniform() - 1.0) * limit);
  return values;
}

std::vector<float> initialValue(const StateTensor &state, std::uint64_t seed) {
  if (state.shape.size() < 2)
    return std::vector<float>(product(state.shape, state.shape.size()), 0.0f);
  return glorotUniform(state.shape,
                       Generator(seed ^ hashOf(state.name)).next());
}

} // namespace popscope::graph
