// Makes the operations of poprand available to a graph.
#pragma once

namespace poplar {
class Graph;
}

namespace poprand {

void addCodelets(poplar::Graph &graph);

} // namespace poprand
