// Shared by the constructors of programs: they make a node and reject operands
// that can never work.
#pragma once

#include "poplar/program/program_node.hpp"
#include "poplar/values/debug_access.hpp"

#include <poplar/Tensor.hpp>
#include <poplar/exceptions.hpp>

#include <memory>
#include <string>

namespace ipumodel {

// `program` is the kind of program for messages: "Copy", "If".
struct ProgramContext {
  const char *program;
  const poplar::DebugContext &debug;

  // Throws an Error whose message begins with the place that made the program.
  template <class Error>
  [[noreturn]] void fail(const std::string &message) const {
    Error error(std::string(program) + ": " + message);
    error.attachSourceLocation(debug);
    throw error;
  }

  std::shared_ptr<ProgramNode> makeNode(ProgramNode::Kind kind) const;

  // These return the tensor's data, or throw; `role` is the tensor's role in
  // the program: "destination", "predicate".
  TensorPtr requireValid(const poplar::Tensor &t, const char *role) const;
  // Must have no aliases and no constants.
  TensorPtr requireWriteable(const poplar::Tensor &t, const char *role) const;
  // Must be one element, BOOL or a 32-bit integer.
  TensorPtr requirePredicate(const poplar::Tensor &t) const;
  // Must be one element, INT or UNSIGNED_INT.
  TensorPtr requireControl(const poplar::Tensor &t) const;

  // Both must be of one graph, with equal types and element counts.
  void requireMatch(const TensorData &src, const TensorData &dst) const;
};

} // namespace ipumodel
