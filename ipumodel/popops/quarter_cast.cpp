#include "popops/quarter_cast.hpp"

#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/half.hpp"
#include "poplar/values/quarter.hpp"
#include "poplar/values/type_info.hpp"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>

namespace popops {

namespace {

using ipumodel::Access;
using ipumodel::InstructionPtr;
using ipumodel::NativeOp;
using ipumodel::NativeOperand;
using ipumodel::PlanBuilder;
using ipumodel::TensorPtr;
using ipumodel::ThreadPool;
using poplar::QuarterMetadata;
using poplar::Tensor;
using poplar::Type;

// The inputs are the source, then the metadata of source and destination if
// they are QUARTER.
std::vector<Tensor> inputsOf(const Tensor &src, const Tensor &dst) {
  std::vector<Tensor> inputs{src};
  for (const Tensor *tensor : {&src, &dst})
    if (tensor->elementType() == poplar::QUARTER)
      inputs.push_back(tensor->getMetadata());
  return inputs;
}

class QuarterCast : public ipumodel::NativeInstruction {
public:
  QuarterCast(ipumodel::StepId step, std::vector<NativeOperand> operands,
              Type from, Type to, std::size_t count)
      : NativeInstruction(step, std::move(operands)), from_(from), to_(to),
        count_(count) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    constexpr std::size_t kRange = 16 * 1024;
    char *const *metadata = operands + 2;
    const QuarterMetadata source = metadataOf(from_, metadata);
    const QuarterMetadata target = metadataOf(to_, metadata);
    pool.run((count_ + kRange - 1) / kRange, [&](std::size_t range) {
      const std::size_t end = std::min(count_, (range + 1) * kRange);
      for (std::size_t i = range * kRange; i < end; ++i)
        store(operands[0], i, load(operands[1], i, source), target);
    });
  }

private:
  static QuarterMetadata metadataOf(const Type &type, char *const *&metadata) {
    if (type != poplar::QUARTER)
      return {};
    return ipumodel::quarterMetadataFromBinary(
        static_cast<std::uint8_t>(**metadata++));
  }

  float load(const char *from, std::size_t i,
             const QuarterMetadata &metadata) const {
    if (from_ == poplar::QUARTER)
      return ipumodel::quarterToFloat(static_cast<std::uint8_t>(from[i]),
                                      metadata);
    if (from_ == poplar::HALF)
      return ipumodel::halfToFloat(
          reinterpret_cast<const std::uint16_t *>(from)[i]);
    return reinterpret_cast<const float *>(from)[i];
  }

  void store(char *to, std::size_t i, float value,
             const QuarterMetadata &metadata) const {
    if (to_ == poplar::QUARTER)
      to[i] = static_cast<char>(ipumodel::doubleToQuarter(
          value, metadata, ipumodel::QuarterOverflow::nan));
    else if (to_ == poplar::HALF)
      reinterpret_cast<std::uint16_t *>(to)[i] = ipumodel::floatToHalf(value);
    else
      reinterpret_cast<float *>(to)[i] = value;
  }

  Type from_, to_;
  std::size_t count_;
};

struct QuarterCastOperator {
  static constexpr const char *kName = "popops.quarterCast";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::Cast1D", op.inputs.at(0)->type,
                                   op.outputs.at(0)->type);
  }
};

InstructionPtr QuarterCastOperator::lower(const NativeOp &op,
                                          const std::string &name,
                                          PlanBuilder &builder) const {
  ipumodel::ScratchFrame frame(builder.memory());
  std::vector<NativeOperand> operands;
  const auto add = [&](const TensorPtr &tensor, Access access) {
    operands.emplace_back(tensor->view, ipumodel::sizeOf(tensor->type), access,
                          builder, frame);
  };
  add(op.outputs.at(0), Access::write);
  for (const TensorPtr &input : op.inputs)
    add(input, Access::read);
  const std::size_t count = op.outputs[0]->view.numElements();
  const unsigned tiles = builder.sharingTiles();
  return std::make_shared<QuarterCast>(
      builder.addStep({kName, name, count / tiles + 1}), std::move(operands),
      op.inputs.at(0)->type, op.outputs[0]->type, count);
}

} // namespace

void addQuarterCast(poplar::program::Sequence &prog, const Tensor &src,
                    const Tensor &dst,
                    const poplar::DebugContext &debugContext) {
  ipumodel::addNative(prog, QuarterCastOperator{}, {dst}, inputsOf(src, dst),
                      debugContext);
}

void addQuarterCast(poplar::Graph &graph, poplar::ComputeSet computeSet,
                    const Tensor &src, const Tensor &dst,
                    const poplar::DebugContext &debugContext) {
  ipumodel::addNative(graph, computeSet, QuarterCastOperator{}, {dst},
                      inputsOf(src, dst), debugContext);
}

} // namespace popops
