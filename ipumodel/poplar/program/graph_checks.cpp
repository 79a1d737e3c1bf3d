#include "poplar/graph/tensor_checks.hpp"
#include "poplar/program/compute_set_checks.hpp"
#include "poplar/program/executable_data.hpp"
#include "poplar/program/program_walk.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

// Messages begin with the place that made the program, and its name: programs
// added by an operator library are made in a file that is not the user's.
template <class Error>
[[noreturn]] void fail(const ProgramNode &node, const std::string &message) {
  throw Error(prefixOf(node.location) +
              (node.name.empty() ? "" : "'" + node.name + "': ") + message);
}

class ProgramCheck {
public:
  ProgramCheck(const GraphData &graph, TileMappingCheck &mappingCheck)
      : graph_(graph), mappingCheck_(mappingCheck) {}

  void check(const ProgramNode &node) {
    if (node.graph && node.graph != &graph_)
      fail<poplar::control_program_error>(
          node, "A program that was made for another graph");
    for (const TensorPtr &tensor : node.tensors)
      checkTensor(node, *tensor);
    switch (node.kind) {
    case Kind::execute:
      checkId(node, "compute set", graph_.computeSets.size());
      break;
    case Kind::streamToTensor:
    case Kind::tensorToStream:
      checkId(node, "stream", graph_.streams.size());
      break;
    case Kind::remoteToTensor:
    case Kind::tensorToRemote:
      checkId(node, "remote buffer", graph_.remoteBuffers.size());
      break;
    case Kind::call:
    case Kind::functionBufferLoad:
      checkId(node, "function", graph_.functions.size());
      break;
    case Kind::callHost:
      checkId(node, "host function", graph_.hostFunctions.size());
      checkArguments(node);
      break;
    case Kind::native:
      checkOperands(node);
      break;
    default:
      break;
    }
  }

private:
  static void checkId(const ProgramNode &node, const char *what,
                      std::size_t count) {
    if (node.id >= count)
      fail<poplar::control_program_error>(
          node, std::string("A program uses ") + what + " " +
                    std::to_string(node.id) + ", but the graph has " +
                    std::to_string(count));
  }

  void checkTensor(const ProgramNode &node, const TensorData &tensor) {
    if (tensor.graph != &graph_)
      fail<poplar::control_program_error>(
          node, "A program uses a tensor of another graph, of shape " +
                    shapeText(tensor.view.shape()));
    mappingCheck_.add(tensor.view);
  }

  void checkOperands(const ProgramNode &node) {
    for (const TensorPtr &input : node.op->inputs)
      checkTensor(node, *input);
    for (const TensorPtr &output : node.op->outputs) {
      checkTensor(node, *output);
      if (!isWriteable(graph_, output->view))
        fail<poplar::graph_connection_error>(
            node, std::string(node.op->what->name()) + " writes to " +
                      describe(*output) +
                      ", which contains constants, or elements more than "
                      "once");
    }
  }

  void checkArguments(const ProgramNode &node) const {
    const HostFunctionInfo &function = graph_.hostFunctions[node.id];
    const auto numInputs = static_cast<std::ptrdiff_t>(node.count);
    checkArguments(node, "input", function.inputs,
                   {node.tensors.begin(), node.tensors.begin() + numInputs});
    checkArguments(node, "output", function.outputs,
                   {node.tensors.begin() + numInputs, node.tensors.end()});
  }

  void checkArguments(const ProgramNode &node, const char *role,
                      const std::vector<HostFunctionInfo::Argument> &parameters,
                      const std::vector<TensorPtr> &arguments) const {
    const std::string use = "Call of host function '" +
                            graph_.hostFunctions[node.id].handle + "': ";
    if (arguments.size() != parameters.size())
      fail<poplar::graph_connection_error>(
          node, use + std::to_string(arguments.size()) + " " + role + "s for " +
                    std::to_string(parameters.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto which = [&] {
        return use + role + " " + std::to_string(i) + " " +
               describe(*arguments[i]);
      };
      if (arguments[i]->type != parameters[i].type)
        fail<poplar::type_error>(
            node, which() + " is not " +
                      parameters[i].type.toString().cloneAsString());
      if (arguments[i]->view.numElements() != parameters[i].numElements)
        fail<poplar::graph_connection_error>(
            node, which() + " does not have " +
                      std::to_string(parameters[i].numElements) + " elements");
    }
  }

  const GraphData &graph_;
  TileMappingCheck &mappingCheck_;
};

// Functions have no parameters and no stack: one that calls itself, directly or
// indirectly, could never return.
class RecursionCheck {
public:
  explicit RecursionCheck(const GraphData &graph)
      : graph_(graph), state_(graph.functions.size(), State::unseen) {}

  void run() {
    for (std::uint32_t id = 0; id < state_.size(); ++id)
      visit(id);
  }

private:
  enum class State : std::uint8_t { unseen, open, done };

  void visit(std::uint32_t id) {
    if (state_[id] == State::done)
      return;
    path_.push_back(id);
    if (state_[id] == State::open)
      throw poplar::graph_recursion_error("Functions call themselves: " +
                                          pathText());
    state_[id] = State::open;
    for (const ProgramNode *node : nodesOf({graph_.functions[id].body}))
      if (node->kind == Kind::call)
        visit(node->id);
    state_[id] = State::done;
    path_.pop_back();
  }

  std::string pathText() const {
    std::string text;
    for (std::uint32_t id : path_)
      text += (text.empty() ? "" : " -> ") + std::to_string(id);
    return text;
  }

  const GraphData &graph_;
  std::vector<State> state_;
  std::vector<std::uint32_t> path_;
};

} // namespace

void checkGraph(const GraphData &graph,
                const std::vector<ProgramPtr> &programs) {
  TileMappingCheck mappingCheck(graph);
  ProgramCheck check(graph, mappingCheck);
  for (const ProgramNode *node : nodesOf(rootsOf(graph, programs)))
    check.check(*node);
  RecursionCheck(graph).run();
  for (const ComputeSetInfo &computeSet : graph.computeSets)
    checkComputeSet(graph, computeSet, mappingCheck);
  for (const HostAccess &access : graph.hostReads)
    mappingCheck.add(access.tensor->view);
  for (const HostAccess &access : graph.hostWrites)
    mappingCheck.add(access.tensor->view);
  mappingCheck.checkMapped();
}

} // namespace ipumodel
