// The Graphs page: the operations of a program, and the layers of a model.
#pragma once

#include "summary/values/tensor.hpp"
#include "summary/values/value.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace popscope::summary {

// What the page lists of a node besides its name.
using Attribute = std::variant<bool, std::int64_t, float, std::string, Shape>;

struct GraphNode {
  std::string name; // scopes separated by '/', which the page draws as boxes
  std::string op;
  std::vector<std::string> inputs; // "node", or "node:1" for its second output
  std::vector<std::string> controlInputs; // "node"; drawn dotted
  std::string device;                     // any text; the page can colour by it
  // One per output; labels the edges. -1 is an unknown dimension.
  std::vector<Shape> outputShapes;
  std::vector<std::pair<std::string, Attribute>> attributes;
};

struct GraphDescription {
  std::vector<GraphNode> nodes;
};

// A serialised GraphDef. Throws std::invalid_argument naming the node if there
// are none, if two share a name, if a name has characters the page cannot
// parse, or if an input is not in the graph.
std::string toGraphDef(const GraphDescription &graph);

// One layer of a model as its author thinks of it.
struct ModelLayer {
  std::string name;
  std::string kind; // such as "Conv2D"
  // Names of the layers it follows; if no layer has any, they form a chain.
  std::vector<std::string> inputs;
};

// The page's conceptual graph. By convention its tag is "keras".
struct LayerGraph {
  std::string name;
  std::vector<ModelLayer> layers;
};

// Throws std::invalid_argument as toGraphDef does.
Value toValue(const LayerGraph &model);

} // namespace popscope::summary
