#include "popops/quarter_cast.hpp"

#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/half.hpp"
#include "poplar/values/quarter.hpp"
#include "poplar/values/type_info.hpp"

#include <poputil/VertexTemplates.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace ipumodel {

namespace {

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

class QuarterCast : public NativeInstruction {
public:
  QuarterCast(StepId step, std::vector<NativeOperand> operands, Type from,
              Type to, std::size_t count)
      : NativeInstruction(step, std::move(operands)), from_(from), to_(to),
        count_(count) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    constexpr std::size_t kRange = 16 * 1024;
    char *const *metadata = operands + 2;
    const Values values = valuesOf(metadataOf(from_, metadata));
    const QuarterMetadata target = metadataOf(to_, metadata);
    pool.run((count_ + kRange - 1) / kRange, [&](std::size_t range) {
      const std::size_t begin = range * kRange;
      convert(operands[0], operands[1], begin, std::min(count_, begin + kRange),
              values, target);
    });
  }

private:
  using Values = std::array<float, 256>; // of all quarters

  static QuarterMetadata metadataOf(const Type &type, char *const *&metadata) {
    if (type != poplar::QUARTER)
      return {};
    return quarterMetadataFromBinary(static_cast<std::uint8_t>(**metadata++));
  }

  Values valuesOf(const QuarterMetadata &metadata) const {
    Values values{};
    if (from_ == poplar::QUARTER)
      for (std::size_t bits = 0; bits < values.size(); ++bits)
        values[bits] =
            quarterToFloat(static_cast<std::uint8_t>(bits), metadata);
    return values;
  }

  void convert(char *to, const char *from, std::size_t begin, std::size_t end,
               const Values &values, const QuarterMetadata &target) const {
    const auto bytes = reinterpret_cast<const std::uint8_t *>(from);
    if (from_ == poplar::QUARTER)
      store(to, begin, end, target,
            [&](std::size_t i) { return values[bytes[i]]; });
    else if (from_ == poplar::HALF)
      store(to, begin, end, target, [&](std::size_t i) {
        return halfToFloat(reinterpret_cast<const std::uint16_t *>(from)[i]);
      });
    else if (from_ == poplar::FLOAT)
      store(to, begin, end, target, [&](std::size_t i) {
        return reinterpret_cast<const float *>(from)[i];
      });
    else if (from_ == poplar::UNSIGNED_CHAR)
      store(to, begin, end, target,
            [&](std::size_t i) { return float(bytes[i]); });
    else
      store(to, begin, end, target,
            [&](std::size_t i) { return float(std::int8_t(bytes[i])); });
  }

  template <class Load>
  void store(char *to, std::size_t begin, std::size_t end,
             const QuarterMetadata &metadata, Load load) const {
    const auto each = [&](auto *out, auto &&convert) {
      for (std::size_t i = begin; i < end; ++i)
        out[i] = convert(load(i));
    };
    if (to_ == poplar::FLOAT)
      each(reinterpret_cast<float *>(to), [](float x) { return x; });
    else if (to_ == poplar::HALF)
      each(reinterpret_cast<std::uint16_t *>(to), floatToHalf);
    else if (to_ == poplar::QUARTER)
      each(reinterpret_cast<std::uint8_t *>(to), [&](float x) {
        return doubleToQuarter(x, metadata, QuarterOverflow::nan);
      });
    else if (to_ == poplar::UNSIGNED_CHAR)
      each(reinterpret_cast<std::uint8_t *>(to), toByte<std::uint8_t>);
    else
      each(reinterpret_cast<std::int8_t *>(to), toByte<std::int8_t>);
  }

  // Towards zero, and to the nearest limit if out of range; 0 for NaN.
  template <class Byte> static Byte toByte(float value) {
    using Limits = std::numeric_limits<Byte>;
    if (!(value == value))
      return 0;
    return static_cast<Byte>(
        std::clamp(value, float(Limits::lowest()), float(Limits::max())));
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
  ScratchFrame frame(builder.memory());
  std::vector<NativeOperand> operands;
  const auto add = [&](const TensorPtr &tensor, Access access) {
    operands.emplace_back(tensor->view, sizeOf(tensor->type), access, builder,
                          frame);
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
  addNative(prog, QuarterCastOperator{}, {dst}, inputsOf(src, dst),
            debugContext);
}

void addQuarterCast(poplar::Graph &graph, poplar::ComputeSet computeSet,
                    const Tensor &src, const Tensor &dst,
                    const poplar::DebugContext &debugContext) {
  addNative(graph, computeSet, QuarterCastOperator{}, {dst}, inputsOf(src, dst),
            debugContext);
}

} // namespace ipumodel
