// The vertices of PopLibs that an element-wise operation stands for.
#include "popops/expr/op_names.hpp"
#include "popops/map/map_operator.hpp"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>
#include <cctype>

namespace ipumodel {

namespace {

using poputil::templateVertex;

// Those that an expression names: rounding belongs to the one before.
std::vector<MapProgram::Step> operationsOf(const MapProgram &program) {
  std::vector<MapProgram::Step> operations;
  for (const MapProgram::Step &step : program.steps)
    if (step.op != MapOp::roundHalf)
      operations.push_back(step);
  return operations;
}

std::string enumeratorOf(const MapProgram::Step &step) {
  switch (step.op) {
  case MapOp::unary:
    return ipumodel::nameOf(popops::expr::UnaryOpType(step.code));
  case MapOp::binary:
    return ipumodel::nameOf(popops::expr::BinaryOpType(step.code));
  case MapOp::ternary:
    return ipumodel::nameOf(popops::expr::TernaryOpType(step.code));
  case MapOp::convert:
  case MapOp::roundHalf:
  case MapOp::snapHalf:
    return "CAST";
  case MapOp::fusedProduct:
    return "MULTIPLY_ADD";
  case MapOp::gate:
    return "RELU_GRAD";
  case MapOp::choose:
  case MapOp::chooseProduct:
    return "SELECT";
  }
  return {};
}

// Of "GREATER_THAN": "GreaterThan".
std::string camelCase(const std::string &enumerator) {
  std::string name;
  bool isFirst = true;
  for (const char c : enumerator) {
    if (c != '_')
      name += static_cast<char>(isFirst ? c : std::tolower(c));
    isFirst = c == '_';
  }
  return name;
}

// One element for all results.
bool isScalar(const View &view) {
  if (view.blocks().size() != 1)
    return false;
  for (const BlockDim &dim : view.blocks()[0].dims)
    for (const Loop &loop : dim.loops)
      if (loop.stride != 0)
        return false;
  return true;
}

bool isInPlace(const NativeOp &op) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const auto &in) {
    return in->type == op.outputs.at(0)->type &&
           in->view == op.outputs[0]->view;
  });
}

bool hasScalarOperand(const MapProgram &program, const MapProgram::Step &step,
                      const NativeOp &op) {
  for (unsigned i = 0; i < arityOf(step); ++i) {
    const std::uint32_t value = step.args[i];
    if (value >= program.numInputs ? value < program.firstStep()
                                   : isScalar(op.inputs.at(value)->view))
      return op.outputs.at(0)->view.numElements() > 1;
  }
  return false;
}

} // namespace

std::string MapOperator::vertexType(const NativeOp &op) const {
  const std::vector<MapProgram::Step> operations = operationsOf(program);
  const poplar::Type &out = op.outputs.at(0)->type;
  if (op.inputs.empty())
    return templateVertex("popops::Fill", out);
  const poplar::Type &in = op.inputs[0]->type;
  if (operations.empty())
    return templateVertex("popops::Cast1D", in, out);
  if (operations.size() > 1 || op.outputs.size() > 1) {
    std::string name = "popops::map::";
    for (const MapProgram::Step &step : operations)
      name += enumeratorOf(step) + "_";
    return name + out.toString().cloneAsString();
  }
  const MapProgram::Step &step = operations[0];
  const std::string inPlace = isInPlace(op) ? "InPlace" : "";
  switch (step.op) {
  case MapOp::unary:
    return templateVertex("popops::UnaryOp1D" + inPlace,
                          "popops::expr::UnaryOpType::" + enumeratorOf(step),
                          in);
  case MapOp::binary: {
    const char *form = hasScalarOperand(program, step, op)
                           ? "popops::BroadcastScalar1D"
                           : "popops::BinaryOp1D";
    return templateVertex(form + inPlace,
                          "popops::expr::BinaryOpType::" + enumeratorOf(step),
                          in);
  }
  case MapOp::ternary:
  case MapOp::choose:
  case MapOp::chooseProduct:
    return templateVertex("popops::" + camelCase(enumeratorOf(step)) + inPlace,
                          out);
  case MapOp::gate:
    return templateVertex("popnn::NonLinearityGrad1D", out,
                          "popnn::NonLinearityType::RELU");
  case MapOp::fusedProduct:
    return templateVertex("popops::ScaledAddSupervisor", out);
  case MapOp::convert:
  case MapOp::roundHalf:
  case MapOp::snapHalf:
    break;
  }
  return templateVertex("popops::Cast1D", in, out);
}

std::string MapOperator::computeSetName(const NativeOp &op) const {
  const std::vector<MapProgram::Step> operations = operationsOf(program);
  if (op.inputs.empty())
    return "Fill";
  if (operations.empty())
    return "Cast";
  if (operations.size() > 1)
    return "";
  const std::string name = camelCase(enumeratorOf(operations[0]));
  return name == "Cast" ? name : "Op/" + name;
}

} // namespace ipumodel
