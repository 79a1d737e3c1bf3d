// Random operations on a small model, and measures of how well numbers follow a
// distribution. All seeds are fixed, so a test always passes or always fails.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace poprandtest {

class RandomModel {
public:
  explicit RandomModel(unsigned tiles = 16)
      : device_(makeDevice(tiles)), graph(device_.getTarget()),
        seed(makeSeed(42, 1)) {
    poprand::addCodelets(graph);
  }

  poplar::Tensor makeSeed(unsigned first, unsigned second) {
    const poplar::Tensor t = graph.addConstant<unsigned>(
        poplar::UNSIGNED_INT, {2}, std::vector<unsigned>{first, second});
    graph.setTileMapping(t, 0);
    return t;
  }

  poplar::Tensor variable(std::vector<std::size_t> shape,
                          const poplar::Type &type = poplar::FLOAT) {
    const poplar::Tensor t = graph.addVariable(type, shape);
    poputil::mapTensorLinearly(graph, t);
    return t;
  }

  // 1, 2, 3, ...
  poplar::Tensor counting(std::vector<std::size_t> shape,
                          const poplar::Type &type = poplar::FLOAT) {
    const poplar::Tensor t = variable(shape, type);
    std::vector<float> values(t.numElements());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i + 1);
    graph.setInitialValue(t, poplar::ArrayRef<float>(values));
    return t;
  }

  // Requests a tensor's elements after run(); the results are in this order.
  void read(const poplar::Tensor &t) {
    const std::string handle = "out" + std::to_string(outputs_.size());
    graph.createHostRead(handle, t);
    outputs_.push_back({handle, t.elementType(), t.numElements()});
  }

  std::vector<std::vector<double>> run() {
    poplar::Engine engine(graph, prog);
    engine.load(device_);
    engine.run();
    std::vector<std::vector<double>> results;
    for (const Output &output : outputs_)
      results.push_back(elementsOf(engine, output));
    return results;
  }

  std::vector<double> run(const poplar::Tensor &t) {
    read(t);
    return run().back();
  }

private:
  struct Output {
    std::string handle;
    poplar::Type type;
    std::size_t count;
  };

  static poplar::Device makeDevice(unsigned tiles) {
    poplar::IPUModel model;
    model.tilesPerIPU = tiles;
    return model.createDevice();
  }

  template <class T>
  static std::vector<T> read(poplar::Engine &engine, const Output &output) {
    std::vector<T> elements(output.count);
    engine.readTensor(output.handle, elements.data(),
                      elements.data() + elements.size());
    return elements;
  }

  std::vector<double> elementsOf(poplar::Engine &engine,
                                 const Output &output) const {
    const auto widen = [](const auto &from) {
      return std::vector<double>(from.begin(), from.end());
    };
    if (output.type == poplar::INT)
      return widen(read<int>(engine, output));
    if (output.type == poplar::UNSIGNED_INT)
      return widen(read<unsigned>(engine, output));
    if (output.type == poplar::FLOAT)
      return widen(read<float>(engine, output));
    const auto halves = read<std::uint16_t>(engine, output);
    std::vector<float> floats(halves.size());
    poplar::copyDeviceHalfToFloat(graph.getTarget(), halves.data(),
                                  floats.data(), floats.size());
    return widen(floats);
  }

  poplar::Device device_;
  std::vector<Output> outputs_;

public:
  poplar::Graph graph;
  poplar::program::Sequence prog;
  poplar::Tensor seed;
};

// The Kolmogorov-Smirnov distance between the numbers' distribution and `cdf`,
// times the root of their count: exceeds 1.63 once in a hundred times.
template <class Cdf> double distance(std::vector<double> numbers, Cdf cdf) {
  std::sort(numbers.begin(), numbers.end());
  const auto n = static_cast<double>(numbers.size());
  double largest = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double p = cdf(numbers[i]);
    largest = std::max({largest, p - static_cast<double>(i) / n,
                        static_cast<double>(i + 1) / n - p});
  }
  return largest * std::sqrt(n);
}
constexpr double kFar = 1.63;

inline double normalCdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

inline double meanOf(const std::vector<double> &numbers) {
  double sum = 0;
  for (const double x : numbers)
    sum += x;
  return sum / static_cast<double>(numbers.size());
}

} // namespace poprandtest
