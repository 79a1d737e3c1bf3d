#include "summary/records/byte_sink.hpp"

namespace popscope::summary {

std::string_view describe(SinkError error) {
  switch (error) {
  case SinkError::none:
    return "no error";
  case SinkError::diskFull:
    return "disk full";
  case SinkError::denied:
    return "permission denied";
  case SinkError::vanished:
    return "the file was removed while it was being written";
  case SinkError::noReader:
    return "its reader went away";
  case SinkError::closed:
    return "written after close";
  case SinkError::overLimit:
    return "the limit of bytes for this run is reached";
  case SinkError::io:
    return "input/output error";
  }
  return "unknown error";
}

} // namespace popscope::summary
