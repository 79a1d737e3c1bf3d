#include "poplar/graph/tensor_checks.hpp"
#include "poplar/program/program_node.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

const char *kindName(Kind kind) {
  switch (kind) {
  case Kind::sequence:
    return "Sequence";
  case Kind::execute:
  case Kind::native:
    return "Execute";
  case Kind::repeat:
    return "Repeat";
  case Kind::repeatWhileTrue:
    return "RepeatWhileTrue";
  case Kind::repeatWhileFalse:
    return "RepeatWhileFalse";
  case Kind::loop:
    return "Loop";
  case Kind::branch:
    return "If";
  case Kind::switchCase:
    return "Switch";
  case Kind::copy:
  case Kind::streamToTensor:
  case Kind::tensorToStream:
  case Kind::remoteToTensor:
  case Kind::tensorToRemote:
  case Kind::functionBufferLoad:
    return "Copy";
  case Kind::crossReplicaCopy:
    return "CrossReplicaCopy";
  case Kind::writeUndef:
    return "WriteUndef";
  case Kind::assumeEqual:
    return "AssumeEqualAcrossReplicas";
  case Kind::block:
    return "Block";
  case Kind::sync:
    return "Sync";
  case Kind::call:
  case Kind::callHost:
    return "Call";
  case Kind::printTensor:
    return "PrintTensor";
  case Kind::error:
    return "ErrorProgram";
  case Kind::abort:
    return "Abort";
  case Kind::cycleStamp:
    return "CycleStamp";
  }
  return "";
}

class Dump {
public:
  Dump(const GraphData &graph, std::ostream &out) : graph_(graph), out_(out) {}

  // One line for the node, indented by two blanks per level, then its children.
  void write(const ProgramNode &node, std::size_t depth,
             const std::string &role) {
    out_ << std::string(2 * depth, ' ') << role << kindName(node.kind);
    writeOperands(node);
    if (!node.name.empty() && node.kind != Kind::native)
      out_ << " (" << node.name << ")";
    out_ << '\n';
    for (std::size_t i = 0; i < node.children.size(); ++i)
      write(*node.children[i], depth + 1, roleOf(node, i));
  }

private:
  static std::string roleOf(const ProgramNode &node, std::size_t child) {
    switch (node.kind) {
    case Kind::repeatWhileTrue:
    case Kind::repeatWhileFalse:
      return child == 0 ? "condition: " : "body: ";
    case Kind::branch:
      return child == 0 ? "true: " : "false: ";
    case Kind::switchCase:
      return child == 0
                 ? "default: "
                 : "case " + std::to_string(node.cases[child - 1]) + ": ";
    default:
      return "";
    }
  }

  void writeOperands(const ProgramNode &node) {
    switch (node.kind) {
    case Kind::execute:
      writeName(graph_.computeSets, node.id,
                [](const ComputeSetInfo &set) { return set.name; });
      writeTensors(node.tensors);
      break;
    case Kind::repeat:
      out_ << ' ' << node.count << " times";
      break;
    case Kind::copy:
    case Kind::crossReplicaCopy:
      writeTensor(*node.tensors[0]);
      out_ << " ->";
      writeTensor(*node.tensors[1]);
      break;
    case Kind::streamToTensor:
      writeChannel(graph_.streams, node.id);
      out_ << " ->";
      writeTensors(node.tensors);
      break;
    case Kind::tensorToStream:
      writeTensors(node.tensors);
      out_ << " ->";
      writeChannel(graph_.streams, node.id);
      break;
    case Kind::remoteToTensor:
      writeChannel(graph_.remoteBuffers, node.id);
      out_ << " ->";
      writeTensors(node.tensors);
      break;
    case Kind::tensorToRemote:
      writeTensors(node.tensors);
      out_ << " ->";
      writeChannel(graph_.remoteBuffers, node.id);
      break;
    case Kind::call:
    case Kind::functionBufferLoad:
      out_ << " function " << node.id;
      break;
    case Kind::callHost:
      writeName(graph_.hostFunctions, node.id,
                [](const HostFunctionInfo &f) { return f.handle; });
      writeTensors(node.tensors);
      break;
    case Kind::native:
      out_ << " '" << computeSetNameOf(node) << "' "
           << node.op->what->vertexType(*node.op);
      writeTensors(node.op->inputs);
      out_ << " ->";
      writeTensors(node.op->outputs);
      break;
    default:
      if (!node.text.empty())
        out_ << " '" << node.text << "'";
      writeTensors(node.tensors);
      break;
    }
  }

  // Ids are checked only when a program is compiled; an unknown one is shown as
  // its number.
  template <class Info, class Name>
  void writeName(const std::vector<Info> &infos, std::uint32_t id,
                 Name &&name) {
    if (id < infos.size())
      out_ << " '" << name(infos[id]) << "'";
    else
      out_ << " #" << id;
  }

  template <class Info>
  void writeChannel(const std::vector<std::shared_ptr<const Info>> &infos,
                    std::uint32_t id) {
    writeName(infos, id,
              [](const std::shared_ptr<const Info> &i) { return i->handle; });
  }

  void writeTensors(const std::vector<TensorPtr> &tensors) {
    for (const TensorPtr &tensor : tensors)
      writeTensor(*tensor);
  }

  void writeTensor(const TensorData &tensor) {
    out_ << ' ' << nameOf(graph_, tensor) << shapeText(tensor.view.shape());
  }

  const GraphData &graph_;
  std::ostream &out_;
};

} // namespace

} // namespace ipumodel

namespace poplar {
namespace program {

void dumpProgram(const Graph &graph, const Program &program,
                 std::ostream &out) {
  ipumodel::Dump(*graph.getImpl()->data, out).write(*program.getImpl(), 0, "");
}

} // namespace program
} // namespace poplar
