// Selection or update of one element per row: selectScalarFromRows and
// updateScalarInRows.
#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"

#include <popops/EncodingConstants.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>

namespace popops {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// A HALF or FLOAT array.
class Elements {
public:
  Elements(char *data, bool isHalf) : data_(data), isHalf_(isHalf) {}
  float get(std::size_t i) const {
    return isHalf_ ? ipumodel::halfToFloat(halves()[i]) : floats()[i];
  }
  void set(std::size_t i, float value) const {
    if (isHalf_)
      halves()[i] = ipumodel::floatToHalf(value);
    else
      floats()[i] = value;
  }

private:
  std::uint16_t *halves() const {
    return reinterpret_cast<std::uint16_t *>(data_);
  }
  float *floats() const { return reinterpret_cast<float *>(data_); }

  char *data_;
  bool isHalf_;
};

// Operands: params, indices, and for a selection its output.
class ScalarInRows : public ipumodel::NativeInstruction {
public:
  ScalarInRows(ipumodel::StepId step, std::vector<NativeOperand> operands,
               const ipumodel::TensorData &params, bool isUpdate)
      : NativeInstruction(step, std::move(operands)),
        isHalf_(params.type == HALF), isUpdate_(isUpdate),
        rows_(params.view.shape().at(0)), columns_(params.view.shape().at(1)) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    constexpr std::size_t kRows = 4096; // per task
    const auto *indices = reinterpret_cast<const std::uint32_t *>(operands[1]);
    const Elements params(operands[0], isHalf_);
    pool.run((rows_ + kRows - 1) / kRows, [&](std::size_t task) {
      const std::size_t end = std::min(rows_, (task + 1) * kRows);
      for (std::size_t row = task * kRows; row < end; ++row)
        if (isUpdate_)
          update(params, row, indices[row]);
        else
          Elements(operands[2], isHalf_)
              .set(row, select(params, row, indices[row]));
    });
  }

private:
  float select(const Elements &params, std::size_t row,
               std::uint32_t index) const {
    if (index == MASKED_LABEL_CODE)
      return 0;
    return index < columns_ ? params.get(row * columns_ + index) : kNaN;
  }

  void update(const Elements &params, std::size_t row,
              std::uint32_t index) const {
    if (index == MASKED_LABEL_CODE)
      return;
    if (index < columns_) {
      const std::size_t at = row * columns_ + index;
      params.set(at, params.get(at) - 1);
      return;
    }
    for (std::size_t i = 0; i < columns_; ++i)
      params.set(row * columns_ + i, kNaN);
  }

  bool isHalf_, isUpdate_;
  std::size_t rows_, columns_;
};

InstructionPtr makeScalarInRows(const NativeOp &op, const std::string &name,
                                PlanBuilder &builder, bool isUpdate) {
  ipumodel::ScratchFrame frame(builder.memory());
  const auto operand = [&](const ipumodel::TensorPtr &tensor, Access access) {
    return NativeOperand(tensor->view, ipumodel::sizeOf(tensor->type), access,
                         builder, frame);
  };
  const ipumodel::TensorPtr &params = op.inputs.at(0);
  std::vector<NativeOperand> operands{
      operand(params, isUpdate ? Access::readWrite : Access::read),
      operand(op.inputs.at(1), Access::read)};
  if (!isUpdate)
    operands.push_back(operand(op.outputs.at(0), Access::write));
  const std::size_t rows = params->view.shape().at(0);
  return std::make_shared<ScalarInRows>(
      builder.addStep({op.what->name(), name, rows + 1}), std::move(operands),
      *params, isUpdate);
}

// out <- params, indices.
struct SelectOperator {
  static constexpr const char *kName = "popops.selectScalarFromRows";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    return makeScalarInRows(op, name, builder, false);
  }
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::SelectFromInterval",
                                   op.inputs.at(0)->type);
  }
};

// params <- params, indices.
struct UpdateScalarOperator {
  static constexpr const char *kName = "popops.updateScalarInRows";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    return makeScalarInRows(op, name, builder, true);
  }
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::UpdateIntervalDEC",
                                   op.inputs.at(0)->type);
  }
};

void check(const char *function, const Tensor &params, const Tensor &indices) {
  const auto require = [&](bool condition, const std::string &what) {
    if (!condition)
      throw poplibs_error(std::string(function) + ": " + what);
  };
  require(indices.rank() == 1 && params.rank() == 2 &&
              params.dim(0) == indices.dim(0),
          "params of shape [N, K] and indices of shape [N] are needed, not " +
              params.shapeToString() + " and " + indices.shapeToString());
  require(indices.elementType() == UNSIGNED_INT,
          "indices must be UNSIGNED_INT, not " +
              indices.elementType().toString());
  require(params.elementType() == FLOAT || params.elementType() == HALF,
          "params must be FLOAT or HALF, not " +
              params.elementType().toString());
}

} // namespace

Tensor selectScalarFromRows(Graph &graph, const Tensor &params,
                            const Tensor &indices, Sequence &prog,
                            const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(params, indices));
  check("selectScalarFromRows", params, indices);
  const Tensor out =
      graph.addVariable(params.elementType(), {params.dim(0)}, {di});
  poputil::mapTensorLinearly(graph, out);
  ipumodel::addNative(prog, SelectOperator{}, {out}, {params, indices}, {di});
  di.addOutput(out);
  return out;
}

void updateScalarInRows(Graph &, const Tensor &params, const Tensor &indices,
                        Sequence &program, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(params, indices));
  check("updateScalarInRows", params, indices);
  ipumodel::addNative(program, UpdateScalarOperator{}, {params},
                      {params, indices}, {di});
}

} // namespace popops
