// Makes the operations of popnn available to a graph.
#pragma once

namespace poplar {
class Graph;
}

namespace popnn {

void addCodelets(poplar::Graph &graph);

} // namespace popnn
