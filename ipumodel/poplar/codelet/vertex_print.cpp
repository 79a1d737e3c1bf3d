#include "poplar/codelet/vertex_print.hpp"

namespace ipumodel {

namespace {

std::string &threadText() {
  static thread_local std::string text;
  return text;
}

// The printed text of each task; reused by the thread that runs the engine.
std::vector<std::string> &taskTexts() {
  static thread_local std::vector<std::string> texts;
  return texts;
}

} // namespace

void printFromVertex(const char *text, std::size_t length) {
  threadText().append(text, length);
}

VertexOutput::VertexOutput(std::size_t numTasks) : tasks_(taskTexts()) {
  if (tasks_.size() < numTasks)
    tasks_.resize(numTasks);
}

void VertexOutput::endTask(std::size_t task) {
  std::string &text = threadText();
  if (text.empty())
    return;
  tasks_[task] += text;
  text.clear();
  hasText_.store(true, std::memory_order_relaxed);
}

void VertexOutput::show(std::ostream &os) {
  if (!hasText_.load(std::memory_order_relaxed))
    return;
  for (std::string &text : tasks_)
    if (!text.empty()) {
      os << text;
      text.clear();
    }
}

} // namespace ipumodel
