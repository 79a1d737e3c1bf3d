// A sink in memory: stores every append, and can be made to fail.
#pragma once

#include "summary/records/byte_sink.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::tests {

class StringSink : public summary::ByteSink {
public:
  summary::SinkError append(std::string_view data) noexcept override {
    if (closed)
      return summary::SinkError::closed;
    appends.push_back(data.size());
    const std::size_t room = capacity - bytes.size();
    bytes += data.substr(0, room);
    return data.size() <= room ? summary::SinkError::none : failure;
  }
  summary::SinkError sync() noexcept override {
    ++syncs;
    return summary::SinkError::none;
  }
  summary::SinkError close() noexcept override {
    closed = true;
    return summary::SinkError::none;
  }

  std::string bytes;
  std::vector<std::size_t> appends; // size of each
  int syncs = 0;
  bool closed = false;
  // An append beyond this many bytes stores as much as fits and fails.
  std::size_t capacity = std::numeric_limits<std::size_t>::max();
  summary::SinkError failure = summary::SinkError::diskFull;
};

} // namespace popscope::tests
