// Searches a tensor for certain values: hasNaN, hasNaNOrInf, allTrue.
#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"

#include <popops/AllTrue.hpp>
#include <popops/NaN.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <atomic>

namespace popops {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

enum class Kind : std::uint8_t { nan, notFinite, isFalse };

// Compares bits without the sign: all NaNs are above infinity.
template <class T>
bool anyAbove(const char *data, std::size_t begin, std::size_t end, T limit) {
  constexpr T kNoSign = T(T(~T(0)) >> 1);
  const auto *elements = reinterpret_cast<const T *>(data);
  bool found = false;
  for (std::size_t i = begin; i < end; ++i)
    found |= T(elements[i] & kNoSign) > limit;
  return found;
}

bool anyFalse(const char *data, std::size_t begin, std::size_t end) {
  bool found = false;
  for (std::size_t i = begin; i < end; ++i)
    found |= data[i] == 0;
  return found;
}

class FindElement : public ipumodel::NativeInstruction {
public:
  FindElement(ipumodel::StepId step, std::vector<NativeOperand> operands,
              Kind kind, Type type, std::size_t count)
      : NativeInstruction(step, std::move(operands)), kind_(kind), type_(type),
        count_(count) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    constexpr std::size_t kRange = 64 * 1024;
    std::atomic<bool> any{false};
    pool.run((count_ + kRange - 1) / kRange, [&](std::size_t range) {
      if (search(operands[1], range * kRange,
                 std::min(count_, (range + 1) * kRange)))
        any.store(true, std::memory_order_relaxed);
    });
    *operands[0] = kind_ == Kind::isFalse ? !any : any.load();
  }

private:
  bool search(const char *data, std::size_t begin, std::size_t end) const {
    constexpr std::uint32_t kFloatInfinity = 0x7f800000;
    constexpr std::uint16_t kHalfInfinity = 0x7c00;
    if (kind_ == Kind::isFalse)
      return anyFalse(data, begin, end);
    const bool infinityToo = kind_ == Kind::notFinite;
    if (type_ == FLOAT)
      return anyAbove<std::uint32_t>(data, begin, end,
                                     kFloatInfinity - infinityToo);
    return anyAbove<std::uint16_t>(data, begin, end,
                                   std::uint16_t(kHalfInfinity - infinityToo));
  }

  Kind kind_;
  Type type_;
  std::size_t count_;
};

// Is there such an element?
struct SearchOperator {
  static constexpr const char *kName = "popops.anyElement";
  Kind kind;

  template <class Io> void fields(Io &io) { io.choice(kind, Kind::isFalse); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    if (kind == Kind::isFalse)
      return "popops::Reduce<popops::ReduceAnd,bool,bool,false,popops::"
             "ReductionSpecialisation::DEFAULT>";
    return poputil::templateVertex("popops::HasNaNOrInf1D",
                                   op.inputs.at(0)->type,
                                   kind == Kind::notFinite);
  }
};

InstructionPtr SearchOperator::lower(const NativeOp &op,
                                     const std::string &name,
                                     PlanBuilder &builder) const {
  ipumodel::ScratchFrame frame(builder.memory());
  const auto operand = [&](const ipumodel::TensorPtr &tensor, Access access) {
    return NativeOperand(tensor->view, ipumodel::sizeOf(tensor->type), access,
                         builder, frame);
  };
  const ipumodel::TensorData &data = *op.inputs.at(0);
  const std::size_t count = data.view.numElements();
  const unsigned tiles = builder.sharingTiles();
  return std::make_shared<FindElement>(
      builder.addStep({kName, name, count / tiles / 2 + 1}),
      std::vector<NativeOperand>{operand(op.outputs.at(0), Access::write),
                                 operand(op.inputs[0], Access::read)},
      kind, data.type, count);
}

Tensor addSearch(Graph &graph, const Tensor &src, Sequence &prog, Kind kind,
                 poputil::PoplibsOpDebugInfo &di) {
  const Tensor out = graph.addVariable(BOOL, {}, {di});
  graph.setTileMapping(out, 0);
  ipumodel::addNative(prog, SearchOperator{kind}, {out}, {src}, {di});
  di.addOutput(out);
  return out;
}

void checkIsFloat(const Tensor &src) {
  if (src.elementType() != HALF && src.elementType() != FLOAT)
    throw poplibs_error("Only HALF and FLOAT have NaN, not " +
                        src.elementType().toString());
}

} // namespace

Tensor hasNaN(Graph &graph, const Tensor &src, Sequence &prog,
              const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src));
  checkIsFloat(src);
  return addSearch(graph, src, prog, Kind::nan, di);
}

Tensor hasNaNOrInf(Graph &graph, const Tensor &src, Sequence &prog,
                   const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src));
  checkIsFloat(src);
  return addSearch(graph, src, prog, Kind::notFinite, di);
}

Tensor allTrue(Graph &graph, Tensor A, Sequence &prog,
               const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A));
  if (A.elementType() != BOOL)
    throw poplibs_error("allTrue is only defined for BOOL, not " +
                        A.elementType().toString());
  return addSearch(graph, A, prog, Kind::isFalse, di);
}

} // namespace popops
