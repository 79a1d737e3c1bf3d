// Where a thread runs, of the processors of this machine.
#pragma once

#include <vector>

namespace ipumodel {

// Of the calling thread; -1 if the system does not tell.
int currentProcessor();

// Moves the calling thread to a processor that it may use and that is not among
// `taken`, if there is one. The system may move it again at any time.
void leaveProcessors(const std::vector<int> &taken);

} // namespace ipumodel
