#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"
#include "poputil/unaliased_input.hpp"

#include <popops/Encoding.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>

namespace popops {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

constexpr std::size_t kRange = 16 * 1024; // elements per task

std::uint64_t estimateCycles(const PlanBuilder &builder, std::size_t count) {
  return count / builder.sharingTiles() + 1;
}

// Operands: encoded, indices, on, off.
class OneHot : public ipumodel::NativeInstruction {
public:
  OneHot(ipumodel::StepId step, std::vector<NativeOperand> operands,
         std::size_t rows, std::size_t columns, std::size_t size)
      : NativeInstruction(step, std::move(operands)), rows_(rows),
        columns_(columns), size_(size) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    const auto *indices = reinterpret_cast<const std::uint32_t *>(operands[1]);
    const std::size_t rowsPerTask =
        std::max<std::size_t>(1, kRange / std::max<std::size_t>(1, columns_));
    pool.run((rows_ + rowsPerTask - 1) / rowsPerTask, [&](std::size_t task) {
      const std::size_t end = std::min(rows_, (task + 1) * rowsPerTask);
      for (std::size_t row = task * rowsPerTask; row < end; ++row) {
        char *const to = operands[0] + row * columns_ * size_;
        for (std::size_t i = 0; i < columns_; ++i)
          std::memcpy(to + i * size_, operands[3], size_);
        // Negative indices are large as unsigned numbers.
        if (indices[row] < columns_)
          std::memcpy(to + indices[row] * size_, operands[2], size_);
      }
    });
  }

private:
  std::size_t rows_, columns_, size_;
};

// encoded <- indices, on, off.
struct OneHotOperator {
  static constexpr const char *kName = "popops.encodeOneHot";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::EncodeOneHotCustomValues",
                                   op.inputs.at(0)->type,
                                   op.outputs.at(0)->type);
  }
};

InstructionPtr OneHotOperator::lower(const NativeOp &op,
                                     const std::string &name,
                                     PlanBuilder &builder) const {
  ipumodel::ScratchFrame frame(builder.memory());
  const ipumodel::TensorData &encoded = *op.outputs.at(0);
  const std::size_t size = ipumodel::sizeOf(encoded.type);
  std::vector<NativeOperand> operands;
  operands.emplace_back(encoded.view, size, Access::write, builder, frame);
  for (const ipumodel::TensorPtr &input : op.inputs)
    operands.emplace_back(input->view, ipumodel::sizeOf(input->type),
                          Access::read, builder, frame);
  const ipumodel::Shape &shape = encoded.view.shape();
  const ipumodel::StepId step = builder.addStep(
      {kName, name, estimateCycles(builder, encoded.view.numElements())});
  return std::make_shared<OneHot>(step, std::move(operands), shape.at(0),
                                  shape.at(1), size);
}

class Iota : public ipumodel::NativeInstruction {
public:
  Iota(ipumodel::StepId step, std::vector<NativeOperand> operands,
       std::uint32_t first, std::size_t count)
      : NativeInstruction(step, std::move(operands)), first_(first),
        count_(count) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    auto *to = reinterpret_cast<std::uint32_t *>(operands[0]);
    pool.run((count_ + kRange - 1) / kRange, [&](std::size_t task) {
      const std::size_t end = std::min(count_, (task + 1) * kRange);
      for (std::size_t i = task * kRange; i < end; ++i)
        to[i] = first_ + static_cast<std::uint32_t>(i);
    });
  }

private:
  std::uint32_t first_; // or the bits of an int
  std::size_t count_;
};

struct IotaOperator {
  static constexpr const char *kName = "popops.iota";
  std::uint32_t first; // or the bits of an int

  template <class Io> void fields(Io &io) { io(first); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::Iota", op.outputs.at(0)->type);
  }
};

InstructionPtr IotaOperator::lower(const NativeOp &op, const std::string &name,
                                   PlanBuilder &builder) const {
  ipumodel::ScratchFrame frame(builder.memory());
  const ipumodel::View &view = op.outputs.at(0)->view;
  const std::size_t count = view.numElements();
  return std::make_shared<Iota>(
      builder.addStep({kName, name, estimateCycles(builder, count)}),
      std::vector<NativeOperand>{
          {view, sizeof(std::uint32_t), Access::write, builder, frame}},
      first, count);
}

void addOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded,
               const Tensor &on, const Tensor &off, Sequence &prog,
               const DebugContext &debugContext) {
  const auto isOneOf = [](const Type &type, std::initializer_list<Type> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  const Type type = encoded.elementType();
  if (encoded.rank() != 2 || indices.rank() != 1 ||
      encoded.dim(0) != indices.dim(0))
    throw poplibs_error("encodeOneHot needs indices of shape [N] and an output "
                        "of shape [N, K], not " +
                        indices.shapeToString() + " and " +
                        encoded.shapeToString());
  if (!isOneOf(indices.elementType(), {INT, UNSIGNED_INT}))
    throw poplibs_error("encodeOneHot needs INT or UNSIGNED_INT indices, not " +
                        indices.elementType().toString());
  if (!isOneOf(type, {HALF, FLOAT, INT, UNSIGNED_INT}))
    throw poplibs_error("encodeOneHot is not defined for " + type.toString());
  for (const Tensor *value : {&on, &off})
    if (value->numElements() != 1 || value->elementType() != type)
      throw poplibs_error("encodeOneHot needs on and off values of one element "
                          "of type " +
                          type.toString());
  std::vector<Tensor> inputs;
  for (const Tensor *input : {&indices, &on, &off})
    inputs.push_back(
        ipumodel::unaliasedInput(encoded, *input, graph, prog, debugContext));
  ipumodel::addNative(prog, OneHotOperator{}, {encoded}, inputs, debugContext);
}

void addIota(const Tensor &t, const Type &type, std::uint32_t first,
             Sequence &prog, const DebugContext &debugContext) {
  if (t.elementType() != type)
    throw poplibs_error("iota of a tensor of type " +
                        t.elementType().toString() + " from a value of type " +
                        type.toString());
  if (t.numElements() == 0)
    return;
  if (t.rank() > 1)
    throw poplibs_error("iota of a tensor of shape " + t.shapeToString() +
                        ", not a vector");
  ipumodel::addNative(prog, IotaOperator{first}, {t}, {}, debugContext);
}

} // namespace

void encodeOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded,
                  Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(indices, encoded));
  const auto constant = [&](float value) {
    const Tensor t =
        graph.addConstant(encoded.elementType(), {}, value, {di, "value"});
    graph.setTileMapping(t, 0);
    return t;
  };
  addOneHot(graph, indices, encoded, constant(1), constant(0), prog, {di});
}

void encodeOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded,
                  Sequence &prog, const Tensor &on, const Tensor &off,
                  const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(indices, encoded, on, off));
  addOneHot(graph, indices, encoded, on, off, prog, {di});
}

void iota(Graph &, const Tensor &t, unsigned startInteger, Sequence &prog,
          const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, startInteger));
  addIota(t, UNSIGNED_INT, startInteger, prog, {di});
}

void iota(Graph &, const Tensor &t, int startInteger, Sequence &prog,
          const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, startInteger));
  addIota(t, INT, static_cast<std::uint32_t>(startInteger), prog, {di});
}

} // namespace popops
