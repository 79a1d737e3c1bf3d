// What a session has told of a program.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace popscope::outfeed::tests {

struct Told {
  std::string name, tag;
  std::int64_t step;
  TensorSample sample;
};

class MemorySink : public SampleSink {
public:
  explicit MemorySink(std::vector<Told> &told) : told_(told) {}
  void take(const Tap &tap, Update update,
            const TensorSample &sample) override {
    told_.push_back({tap.tensor.name, tagOf(tap), update.value(), sample});
  }

private:
  std::vector<Told> &told_;
};

} // namespace popscope::outfeed::tests
