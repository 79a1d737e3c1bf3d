// printf of codelets: collected per task and printed in the order of the
// vertices, whatever threads they ran on.
#pragma once

#include <atomic>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace ipumodel {

// Given to every codelet library; appends to the text of the calling thread.
void printFromVertex(const char *text, std::size_t length);

class VertexOutput {
public:
  explicit VertexOutput(std::size_t numTasks);
  // Adds to a task's text what the calling thread printed since the last call.
  void endTask(std::size_t task);
  void show(std::ostream &os);

private:
  std::vector<std::string> &tasks_;
  std::atomic<bool> hasText_{false}; // nearly always, no vertex prints
};

} // namespace ipumodel
