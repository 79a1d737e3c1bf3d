// What the constructors of programs share: making a node, and refusing
// operands that could never work.
#pragma once

#include "poplar/debug_access.hpp"
#include "poplar/program_node.hpp"

#include <poplar/Tensor.hpp>
#include <poplar/exceptions.hpp>

#include <memory>
#include <string>

namespace ipumodel {

// `program` names the kind of program in messages: "Copy", "If".
struct ProgramContext {
  const char *program;
  const poplar::DebugContext &debug;

  // Throws an Error that begins with the place where the program was made.
  template <class Error>
  [[noreturn]] void fail(const std::string &message) const {
    Error error(std::string(program) + ": " + message);
    error.attachSourceLocation(debug);
    throw error;
  }

  std::shared_ptr<ProgramNode> makeNode(ProgramNode::Kind kind) const;

  // These return the tensor's data, or throw; `role` is what the tensor is to
  // the program: "destination", "predicate".
  TensorPtr requireValid(const poplar::Tensor &t, const char *role) const;
  // Without aliases and constants.
  TensorPtr requireWriteable(const poplar::Tensor &t, const char *role) const;
  // One element, BOOL or a 32-bit integer.
  TensorPtr requirePredicate(const poplar::Tensor &t) const;
  // One element, INT or UNSIGNED_INT.
  TensorPtr requireControl(const poplar::Tensor &t) const;

  // Of one graph, with equal types and equally many elements.
  void requireMatch(const TensorData &src, const TensorData &dst) const;
};

} // namespace ipumodel
