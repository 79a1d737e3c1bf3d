// What TensorBoard's page Debugger V2 shows of a program before it runs.
#pragma once

#include "summary/values/tensor.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace popscope::summary {

// One tensor of the program, and what computes it.
struct DebuggedOp {
  std::string name;
  std::string type;                // any word
  std::vector<std::size_t> inputs; // places of ops in the program
  std::string device;              // such as "/device:IPU:0"
  ElementType elementType = ElementType::float32;
  std::size_t rank = 0;
  std::size_t line = 1; // of the source, from 1
};

struct DebuggedProgram {
  std::string name;                // of what one execution does
  std::vector<std::string> source; // lines that the page shows beside an op
  std::vector<DebuggedOp> ops;
};

// How many elements of a tensor are what.
struct HealthCounts {
  struct Signs {
    std::uint64_t negative = 0; // finite ones
    std::uint64_t zero = 0;
    std::uint64_t positive = 0; // finite ones
  };

  std::uint64_t count = 0; // all elements
  std::uint64_t negInf = 0;
  std::uint64_t posInf = 0;
  std::uint64_t nan = 0;
  std::optional<Signs> signs; // if known

  // Of both together; their signs are known if those of both are.
  void add(const HealthCounts &other);
  bool isBad() const { return negInf + posInf + nan != 0; }
};

// Signs are not compared.
bool operator!=(const HealthCounts &a, const HealthCounts &b);

// The names of the program's ops in the files. The reader takes what follows
// the only ':' of a tensor's name for the number of an output, so ":0" is left
// out and any other ':' becomes '_'; names that are then equal get _2, _3 and
// so on.
std::vector<std::string> opNames(const DebuggedProgram &program);

// Names of the devices, each once; the page numbers them from 1.
std::vector<std::string> devicesOf(const DebuggedProgram &program);

} // namespace popscope::summary
