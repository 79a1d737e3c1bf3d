#include "poplar/program/program_checks.hpp"

#include "poplar/graph/tensor_checks.hpp"

using namespace poplar;

namespace ipumodel {

std::shared_ptr<ProgramNode>
ProgramContext::makeNode(ProgramNode::Kind kind) const {
  auto node = std::make_shared<ProgramNode>(kind);
  node->name = pathOf(debug);
  node->location = locationOf(debug);
  return node;
}

TensorPtr ProgramContext::requireValid(const Tensor &t,
                                       const char *role) const {
  if (!t.valid())
    fail<control_program_error>(std::string("the ") + role +
                                " is a default-constructed tensor");
  return t.getImpl();
}

TensorPtr ProgramContext::requireWriteable(const Tensor &t,
                                           const char *role) const {
  TensorPtr tensor = requireValid(t, role);
  if (!isWriteable(*tensor->graph, tensor->view))
    fail<graph_connection_error>(std::string("the ") + role + " " +
                                 describe(*tensor) +
                                 " is not parallel writeable: it contains "
                                 "constants, or elements more than once");
  return tensor;
}

TensorPtr ProgramContext::requirePredicate(const Tensor &t) const {
  TensorPtr tensor = requireValid(t, "predicate");
  if (tensor->view.numElements() != 1)
    fail<graph_connection_error>("the predicate " + describe(*tensor) +
                                 " must have exactly one element");
  if (tensor->type != BOOL && tensor->type != INT &&
      tensor->type != UNSIGNED_INT)
    fail<type_error>("the predicate " + describe(*tensor) +
                     " is neither bool, int nor unsigned int");
  return tensor;
}

TensorPtr ProgramContext::requireControl(const Tensor &t) const {
  TensorPtr tensor = requireValid(t, "control");
  if (tensor->view.numElements() != 1)
    fail<graph_connection_error>("the control " + describe(*tensor) +
                                 " must have exactly one element");
  if (tensor->type != INT && tensor->type != UNSIGNED_INT)
    fail<type_error>("the control " + describe(*tensor) +
                     " is neither int nor unsigned int");
  return tensor;
}

void ProgramContext::requireMatch(const TensorData &src,
                                  const TensorData &dst) const {
  const auto both = [&] {
    return "from " + describe(src) + " to " + describe(dst);
  };
  if (src.graph != dst.graph)
    fail<graph_connection_error>("tensors of different graphs: " + both());
  if (src.type != dst.type)
    fail<type_error>("element types differ: " + both());
  if (src.view.numElements() != dst.view.numElements())
    fail<graph_connection_error>("element counts differ: " + both());
}

} // namespace ipumodel
