// The forward pass of one layer on the page.
#pragma once

#include "graph/training_graph.hpp"
#include "host/graph_page/drawing.hpp"

#include <string>
#include <vector>

namespace popscope::host {

// Strings without a comment are names of nodes.
struct DrawnWeight {
  std::string layer; // such as "conv_0"
  std::string part;  // "kernel" or "bias"
  unsigned stage = 0;
  summary::Shape shape;
  std::string variable;
  std::string read; // by the layer: the variable, or its rounding to HALF

  // Its name on the device.
  std::string tensor() const { return layer + "/" + part + ":0"; }
};

struct DrawnLayer {
  graph::LayerSpec spec;
  ImageShape in, out;
  std::string input, output;
  std::vector<DrawnWeight> weights; // kernel and bias, or none
  std::string seed;                 // of a dropout that drops anything
};

// Draws a layer that takes the node `input`, of shape `in`.
DrawnLayer drawLayer(const graph::TrainingSpec &training,
                     const graph::LayerSpec &layer, const std::string &input,
                     const ImageShape &in, const ImageShape &out,
                     const Place &stage, Drawing &drawing);

// "Relu" and so on; empty for none.
std::string operationOf(graph::Activation activation);

} // namespace popscope::host
