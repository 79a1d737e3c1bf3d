// The nodes of the Graphs page while it is drawn, each with the programs and
// tensors of the device that it represents.
#pragma once

#include "summary/values/graph.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace popscope::host {

using ImageShape = std::vector<std::size_t>; // without the batch

// How often the device runs an operation.
enum class Runs { everyBatch, everyUpdate };

// Where nodes are: a box of the page, and the device they are coloured by.
struct Place {
  std::string box; // empty, or ends in '/'
  std::string device;
  Runs runs = Runs::everyBatch;

  Place in(const std::string &inner) const {
    return {box + inner + "/", device, runs};
  }
  Place onceAnUpdate() const { return {box, device, Runs::everyUpdate}; }
};

struct DrawnNode {
  summary::GraphNode node;
  Runs runs = Runs::everyBatch;
  // The names that graph/ gave them; a name also covers those that continue it
  // after a '/'.
  std::vector<std::string> programs;
  std::vector<std::string> tensors;
};

// A node to be added to a drawing.
class Sketch {
public:
  Sketch(std::string name, std::string op) {
    drawn_.node.name = std::move(name);
    drawn_.node.op = std::move(op);
  }
  explicit Sketch(const std::string &op) : Sketch(op, op) {}

  Sketch &from(std::string input) {
    drawn_.node.inputs.push_back(std::move(input));
    return *this;
  }
  // A control dependency.
  Sketch &after(std::string node) {
    drawn_.node.controlInputs.push_back(std::move(node));
    return *this;
  }
  // Its next output.
  Sketch &makes(summary::Shape shape) {
    drawn_.node.outputShapes.push_back(std::move(shape));
    return *this;
  }
  Sketch &with(std::string attribute, summary::Attribute value) {
    drawn_.node.attributes.emplace_back(std::move(attribute), std::move(value));
    return *this;
  }
  // Not an Attribute, which would take the pointer for a bool.
  Sketch &with(std::string attribute, const char *text) {
    return with(std::move(attribute), std::string(text));
  }
  Sketch &runs(std::string program) {
    drawn_.programs.push_back(std::move(program));
    return *this;
  }
  Sketch &keeps(std::string tensor) {
    drawn_.tensors.push_back(std::move(tensor));
    return *this;
  }
  // An operation and its result, which have the same name on the device.
  Sketch &represents(const std::string &name) { return runs(name).keeps(name); }

  const DrawnNode &drawn() const { return drawn_; }

private:
  DrawnNode drawn_;
};

class Drawing {
public:
  explicit Drawing(std::size_t batchSize) : batchSize_(batchSize) {}

  // Returns the name of the node, for the inputs of others.
  std::string add(const Place &place, const Sketch &sketch);
  // A tensor that keeps its value between batches.
  std::string addVariable(const Place &place, const std::string &name,
                          const summary::Shape &shape,
                          const std::string &tensor);

  // The shape of a whole batch.
  summary::Shape batchOf(const ImageShape &image) const;

  std::vector<DrawnNode> &nodes() { return nodes_; }

private:
  std::size_t batchSize_;
  std::vector<DrawnNode> nodes_;
};

} // namespace popscope::host
