#include "poplar/system/standard_streams.hpp"

#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

namespace ipumodel {

void occupyStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1)
      (void)::open("/dev/null", O_RDONLY); // takes the lowest number free
}

} // namespace ipumodel
