// Values of tensors of several types, as the host writes and reads them.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace poplibstest {

// Fractions between -2 and 2.
inline float randomFloat(std::mt19937 &random) {
  return float(int(random() % 4001) - 2000) / 1000;
}
inline std::vector<float> randomFloats(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(size);
  for (float &value : values)
    value = randomFloat(random);
  return values;
}

// Small integers, or fractions between -2 and 2.
inline void writeRandom(poplar::Engine &engine, const std::string &name,
                        const poplar::Tensor &variable,
                        const poplar::Target &target, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> floats(variable.numElements());
  std::vector<std::int32_t> ints(floats.size());
  std::vector<std::uint16_t> halves(floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    ints[i] = std::int32_t(random() % 13);
    floats[i] = randomFloat(random);
  }
  poplar::copyFloatToDeviceHalf(target, floats.data(), halves.data(),
                                halves.size());
  if (variable.elementType() == poplar::FLOAT)
    engine.writeTensor(name, floats.data(), floats.data() + floats.size());
  else if (variable.elementType() == poplar::HALF)
    engine.writeTensor(name, halves.data(), halves.data() + halves.size());
  else
    engine.writeTensor(name, ints.data(), ints.data() + ints.size());
}

// Appends them, with NaNs made equal.
inline void appendFloats(std::vector<double> &values,
                         const std::vector<float> &floats) {
  for (const float value : floats)
    values.push_back(std::isnan(value) ? 1e300 : double(value));
}

// Appends the elements, with NaNs made equal.
inline void readInto(std::vector<double> &values, poplar::Engine &engine,
                     const std::string &name, const poplar::Tensor &t,
                     const poplar::Target &target) {
  std::vector<float> floats(t.numElements());
  std::vector<std::int32_t> ints(floats.size());
  std::vector<std::uint16_t> halves(floats.size());
  if (t.elementType() == poplar::FLOAT) {
    engine.readTensor(name, floats.data(), floats.data() + floats.size());
  } else if (t.elementType() == poplar::HALF) {
    engine.readTensor(name, halves.data(), halves.data() + halves.size());
    poplar::copyDeviceHalfToFloat(target, halves.data(), floats.data(),
                                  halves.size());
  } else {
    engine.readTensor(name, ints.data(), ints.data() + ints.size());
    values.insert(values.end(), ints.begin(), ints.end());
    return;
  }
  appendFloats(values, floats);
}

} // namespace poplibstest
