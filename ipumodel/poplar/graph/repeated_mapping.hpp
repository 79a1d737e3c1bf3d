// The tile mapping of tables whose rows are spread over tiles alike.
#pragma once

#include <poplar/Graph.hpp>

namespace ipumodel {

// `t` is a whole variable, whose first t[0] is mapped; every other t[i] gets
// the same mapping.
void repeatTileMapping(poplar::Graph &graph, const poplar::Tensor &t);

} // namespace ipumodel
