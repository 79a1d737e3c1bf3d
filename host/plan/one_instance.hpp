// Processes that mpirun or poprun started together.
#pragma once

namespace popscope::host {

// Throws BadInput if this process is one of several: each of them would train
// the whole model.
void requireOneInstance();

} // namespace popscope::host
