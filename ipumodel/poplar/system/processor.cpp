#include "poplar/system/processor.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace ipumodel {

#ifdef __linux__

int currentProcessor() { return sched_getcpu(); }

void leaveProcessors(const std::vector<int> &taken) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0)
    return;
  cpu_set_t free = all;
  for (const int processor : taken)
    if (processor >= 0 && processor < CPU_SETSIZE)
      CPU_CLR(processor, &free);
  if (CPU_COUNT(&free) > 0 && sched_setaffinity(0, sizeof free, &free) == 0)
    sched_setaffinity(0, sizeof all, &all);
}

#else

int currentProcessor() { return -1; }
void leaveProcessors(const std::vector<int> &) {}

#endif

} // namespace ipumodel
