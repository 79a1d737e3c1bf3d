// Runs operators on a small model, with inputs and results from reference
// files.
#pragma once

#include "tests/support/reference_file.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/TileMapping.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace poplibstest {

using testsupport::ReferenceArray;
using testsupport::ReferenceCase;

inline std::vector<ReferenceCase> references(const std::string &name) {
  return testsupport::ReferenceReader(std::string(REFERENCE_DIR) + "/" + name +
                                      ".ref.gz")
      .cases();
}

// The largest allowed difference: absolute plus relative.
struct Tolerance {
  double absolute, relative;
};

class OperatorModel {
public:
  OperatorModel() : device_(makeDevice()), graph(device_.getTarget()) {}

  // A tensor that will have the values; `stored` permutes its dimensions in
  // memory, so that kernels are also tested with tensors that are not
  // row-major.
  poplar::Tensor input(const poplar::Type &type, const ReferenceArray &values,
                       const std::vector<unsigned> &stored = {}) {
    poplar::Tensor t;
    if (stored.empty()) {
      t = graph.addVariable(type, values.shape);
    } else {
      std::vector<std::size_t> shape;
      for (const unsigned dim : stored)
        shape.push_back(values.shape[dim]);
      std::vector<unsigned> inverse(stored.size());
      for (unsigned i = 0; i < stored.size(); ++i)
        inverse[stored[i]] = i;
      t = graph.addVariable(type, shape).dimShuffle(inverse);
    }
    poputil::mapTensorLinearly(graph, t);
    feed(t, values);
    return t;
  }

  // Sets the values of a tensor that an operator created.
  void feed(const poplar::Tensor &t, const ReferenceArray &values) {
    const std::string handle = "in" + std::to_string(inputs_.size());
    graph.createHostWrite(handle, t);
    inputs_.push_back({handle, t.elementType(), &values});
  }

  void expect(const poplar::Tensor &t, const ReferenceArray &values,
              Tolerance tolerance, const std::string &what) {
    EXPECT_EQ(t.shape(), values.shape) << what;
    const std::string handle = "out" + std::to_string(outputs_.size());
    graph.createHostRead(handle, t);
    outputs_.push_back({handle, t.elementType(), &values, tolerance, what});
  }

  void run() {
    poplar::Engine engine(graph, prog);
    engine.load(device_);
    for (const Input &input : inputs_) {
      if (input.type == poplar::HALF) {
        std::vector<std::uint16_t> halves(input.values->floats.size());
        poplar::copyFloatToDeviceHalf(graph.getTarget(),
                                      input.values->floats.data(),
                                      halves.data(), halves.size());
        engine.writeTensor(input.handle, halves.data(),
                           halves.data() + halves.size());
      } else if (!input.values->ints.empty()) {
        engine.writeTensor(input.handle, input.values->ints.data(),
                           input.values->ints.data() +
                               input.values->ints.size());
      } else {
        engine.writeTensor(input.handle, input.values->floats.data(),
                           input.values->floats.data() +
                               input.values->floats.size());
      }
    }
    engine.run();
    for (const Output &output : outputs_)
      compare(engine, output);
  }

  poplar::program::Sequence prog;

private:
  struct Input {
    std::string handle;
    poplar::Type type;
    const ReferenceArray *values;
  };
  struct Output {
    std::string handle;
    poplar::Type type;
    const ReferenceArray *values;
    Tolerance tolerance;
    std::string what;
  };

  static poplar::Device makeDevice() {
    poplar::IPUModel model;
    model.tilesPerIPU = 16;
    return model.createDevice();
  }

  void compare(poplar::Engine &engine, const Output &output) {
    const std::vector<float> &expected = output.values->floats;
    std::vector<float> got(expected.size());
    if (output.type == poplar::HALF) {
      std::vector<std::uint16_t> halves(expected.size());
      engine.readTensor(output.handle, halves.data(),
                        halves.data() + halves.size());
      poplar::copyDeviceHalfToFloat(graph.getTarget(), halves.data(),
                                    got.data(), got.size());
    } else {
      engine.readTensor(output.handle, got.data(), got.data() + got.size());
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_LE(std::abs(double(got[i]) - double(expected[i])),
                output.tolerance.absolute +
                    output.tolerance.relative * std::abs(double(expected[i])))
          << output.what << " at " << i << ": " << got[i] << " instead of "
          << expected[i];
  }

  poplar::Device device_;

public:
  poplar::Graph graph;

private:
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
};

} // namespace poplibstest
