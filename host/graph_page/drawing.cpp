#include "host/graph_page/drawing.hpp"

namespace popscope::host {

std::string Drawing::add(const Place &place, const Sketch &sketch) {
  DrawnNode drawn = sketch.drawn();
  drawn.node.name = place.box + drawn.node.name;
  drawn.node.device = place.device;
  drawn.runs = place.runs;
  nodes_.push_back(std::move(drawn));
  return nodes_.back().node.name;
}

std::string Drawing::addVariable(const Place &place, const std::string &name,
                                 const summary::Shape &shape,
                                 const std::string &tensor) {
  return add(place, Sketch(name, "VariableV2").makes(shape).keeps(tensor));
}

summary::Shape Drawing::batchOf(const ImageShape &image) const {
  summary::Shape shape{std::int64_t(batchSize_)};
  shape.insert(shape.end(), image.begin(), image.end());
  return shape;
}

} // namespace popscope::host
