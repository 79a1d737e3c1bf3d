// Where the parts of a training are on the page: the host beside the IPUs, and
// a box for each stage of a pipeline.
#pragma once

#include "host/graph_page/drawing.hpp"

#include <string>

namespace popscope::host {

// TensorBoard's legend shows what follows "/device:". IPUs are numbered as in
// the first replica.
class Places {
public:
  // One stage is no pipeline and has no box.
  explicit Places(unsigned stages) : stages_(stages) {}

  unsigned stages() const { return stages_; }

  Place host() const { return {"host/", "/device:HOST:0"}; }
  Place stage(unsigned number) const {
    return {stages_ == 1 ? "" : nameOf(number) + "/",
            "/device:IPU:" + std::to_string(number)};
  }
  Place lastStage() const { return stage(stages_ - 1); }

  // As the programs of the device name it too.
  static std::string nameOf(unsigned stage) {
    return "stage_" + std::to_string(stage);
  }

private:
  unsigned stages_;
};

} // namespace popscope::host
