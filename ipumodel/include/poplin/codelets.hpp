// Makes the operations of poplin available to a graph.
#pragma once

namespace poplar {
class Graph;
}

namespace poplin {

void addCodelets(poplar::Graph &graph);

} // namespace poplin
