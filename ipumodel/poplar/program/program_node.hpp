// A program as plain data: one struct for all kinds, so that programs can be
// walked, compared, stored and lowered without a visitor per kind.
#pragma once

#include "poplar/graph/graph_data.hpp"
#include "poplar/program/operator.hpp"

#include <poplar/PrintTensor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel {

// An operation that runs as native code instead of vertices: what it does, and
// the tensors, in the order the operator defines.
struct NativeOp {
  OperatorPtr what;
  std::vector<TensorPtr> outputs;
  std::vector<TensorPtr> inputs;
};

struct ProgramNode {
  enum class Kind : std::uint8_t {
    sequence,           // children
    execute,            // id: compute set; tensors: [exit status]
    repeat,             // count; children: body
    repeatWhileTrue,    // children: condition, body; tensors: predicate
    repeatWhileFalse,   //   the same
    loop,               // children: body
    branch,             // children: true, false; tensors: predicate
    switchCase,         // children: default, cases...; cases; tensors: control
    copy,               // tensors: src, dst
    streamToTensor,     // id: stream; tensors: dst
    tensorToStream,     // id: stream; tensors: src
    remoteToTensor,     // id: remote buffer; tensors: dst, [offset]
    tensorToRemote,     // id: remote buffer; tensors: src, [offset]
    functionBufferLoad, // id: function
    crossReplicaCopy,   // tensors: src, dst; replicaMap
    writeUndef,         // tensors: target
    assumeEqual,        // tensors: target
    block,              // children: body
    sync,               // count: the SyncType
    call,               // id: function
    callHost,           // id: host function; count: inputs; tensors: in, out
    printTensor,        // text: title; tensors: what; format
    error,              // text: message; tensors: debug tensor
    abort,              // text: message; tensors: [predicate]
    cycleStamp,         // tensors: UNSIGNED_INT[2]
    native,             // op
  };
  // What a Switch does if the control value has no case.
  enum class NoCase : std::uint8_t { runDefault, fail };

  explicit ProgramNode(Kind kind) : kind(kind) {}

  Kind kind;
  NoCase noCase = NoCase::runDefault;
  std::uint32_t id = 0;
  std::uint64_t count = 0;
  std::vector<std::shared_ptr<const ProgramNode>> children;
  std::vector<TensorPtr> tensors;
  std::vector<std::int32_t> cases;
  std::vector<std::uint32_t> replicaMap; // destination by source
  std::string text;
  poplar::PrintTensorFmt format;
  std::shared_ptr<const NativeOp> op;
  std::string name; // debug path
  poplar::SourceLocation location;
  // The graph that the ids refer to; null if there are none, or only tensors.
  const GraphData *graph = nullptr;
};

using ProgramPtr = std::shared_ptr<const ProgramNode>;

// Of the vertices that a native operation stands for: "layer/Op/Add".
inline std::string computeSetNameOf(const ProgramNode &native) {
  const std::string own = native.op->what->computeSetName(*native.op);
  return native.name.empty() || own.empty() ? native.name + own
                                            : native.name + "/" + own;
}

} // namespace ipumodel
