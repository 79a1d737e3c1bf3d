// The programs of an engine, in the order in which they are given to it.
#pragma once

namespace popscope::graph {

enum class ProgramId : unsigned { train, evaluate };

} // namespace popscope::graph
