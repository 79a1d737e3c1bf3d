// A codelet written for the IPU, run as it is.
#include "device_only.hpp"

class [[poplar::constraint("elem(*in) != elem(*out)",
                           "elem(*in) != elem(*in)")]] Supervised
    : public poplar::SupervisorVertex {
public:
  static const bool isExternalCodelet = false;
  static const bool needsAlignWorkers = false;
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<unsigned> out;
  __attribute__((target("supervisor"))) bool compute() {
    *out = fromHeader() + two();
    return __builtin_strcmp("\"supervisor\"", name()) == 0;
  }
  RUN_AS_SUPERVISOR unsigned two() { return 2; }
  WORKER_ALIGN const char *name() { return "\"supervisor\""; }
};

// The same, as some formatters break it, and as C++17 shortens it.
// clang-format off
class [
    [poplar::constraint("region(*in) != region(*out)")]] Broken
    : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;
  bool compute() { return true; }
};
// clang-format on
class [[using poplar: constraint("elem(*in) != elem(*out)")]] Shortened
    : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;
  bool compute() { return true; }
};
