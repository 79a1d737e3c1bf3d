#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"
#include "poputil/unaliased_input.hpp"

#include <popops/SequenceSlice.hpp>
#include <popops/Zero.hpp>

#include <algorithm>
#include <cstring>

namespace popops {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;

struct Rows {
  std::size_t in, out, bytes;
};

// Operands: out, in, lengths, offsets in `in`, offsets in `out`.
class SequenceCopy : public ipumodel::NativeInstruction {
public:
  SequenceCopy(ipumodel::StepId step, std::vector<NativeOperand> operands,
               bool zeroUnused, const Rows &rows, std::size_t sequences)
      : NativeInstruction(step, std::move(operands)), zeroUnused_(zeroUnused),
        rows_(rows), sequences_(sequences) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    if (zeroUnused_)
      std::memset(operands[0], 0, rows_.out * rows_.bytes);
    const auto *lengths = reinterpret_cast<const std::uint32_t *>(operands[2]);
    const auto *from = reinterpret_cast<const std::uint32_t *>(operands[3]);
    const auto *to = reinterpret_cast<const std::uint32_t *>(operands[4]);
    // One after the other, as sequences may overlap.
    for (std::size_t i = 0; i < sequences_; ++i) {
      if (from[i] >= rows_.in || to[i] >= rows_.out)
        continue;
      const std::size_t count = std::min<std::size_t>(
          {lengths[i], rows_.in - from[i], rows_.out - to[i]});
      copy(operands[0] + to[i] * rows_.bytes,
           operands[1] + from[i] * rows_.bytes, count * rows_.bytes, pool);
    }
  }

private:
  static void copy(char *to, const char *from, std::size_t bytes,
                   ThreadPool &pool) {
    constexpr std::size_t kTaskBytes = 256 * 1024;
    pool.run((bytes + kTaskBytes - 1) / kTaskBytes, [&](std::size_t task) {
      const std::size_t begin = task * kTaskBytes;
      std::memcpy(to + begin, from + begin,
                  std::min(kTaskBytes, bytes - begin));
    });
  }

  bool zeroUnused_;
  Rows rows_;
  std::size_t sequences_;
};

struct SequenceSlice {
  static constexpr const char *kName = "popops.sequenceSlice";
  bool zeroUnused;

  template <class Io> void fields(Io &io) { io(zeroUnused); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const {
    const TensorData &out = *op.outputs.at(0), &in = *op.inputs.at(1);
    ipumodel::ScratchFrame frame(builder.memory());
    std::vector<NativeOperand> operands;
    for (const auto &input : op.inputs)
      operands.emplace_back(input->view, ipumodel::sizeOf(input->type),
                            !operands.empty() ? Access::read
                            : zeroUnused      ? Access::write
                                              : Access::readWrite,
                            builder, frame);
    const std::size_t bytes =
        out.view.numElements() * ipumodel::sizeOf(out.type);
    const Rows rows{in.view.shape()[0], out.view.shape()[0],
                    bytes / out.view.shape()[0]};
    return std::make_shared<SequenceCopy>(
        builder.addStep(
            {kName, name, bytes / 8 / builder.sharingTiles() + 1, bytes}),
        std::move(operands), zeroUnused, rows,
        op.inputs.at(2)->view.numElements());
  }
};

void requireOfSlices(bool condition, const std::string &what) {
  if (!condition)
    throw graph_connection_error("sequenceSlice: " + what);
}

} // namespace

void sequenceSlice(Graph &graph, const Tensor &tIn, const Tensor &tOut,
                   const Tensor &tN, const Tensor &tInOffset,
                   const Tensor &tOutOffset, bool zeroUnused, Sequence &prog,
                   const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(tIn, tOut, tN, tInOffset, tOutOffset));
  for (const Tensor *t : {&tN, &tInOffset, &tOutOffset}) {
    requireOfSlices(t->rank() == 1 && t->shape() == tN.shape(),
                    "lengths and offsets have one dimension and the same size");
    requireOfSlices(t->elementType() == UNSIGNED_INT,
                    "lengths and offsets must be UNSIGNED_INT, not " +
                        t->elementType().toString());
  }
  requireOfSlices(tIn.rank() >= 2 && tOut.rank() >= 2,
                  "tIn and tOut have a rank of at least 2, not the shapes " +
                      tIn.shapeToString() + " and " + tOut.shapeToString());
  requireOfSlices(tIn.elementType() == tOut.elementType(),
                  "tIn and tOut must have the same type");
  requireOfSlices(!tOut.containsAliases() && !tOut.containsConstant(),
                  "tOut must not contain aliases or constants");
  if (tIn.dim(0) == 0 || tOut.numElements() == 0) {
    if (zeroUnused)
      zero(graph, tOut, prog, {di});
    return;
  }
  requireOfSlices(tIn.numElements() / tIn.dim(0) ==
                      tOut.numElements() / tOut.dim(0),
                  "rows of " + tIn.shapeToString() + " do not fit in " +
                      tOut.shapeToString());
  const Tensor in =
      ipumodel::unaliasedInput(tOut, tIn, graph, prog, debugContext);
  ipumodel::addNative(prog, SequenceSlice{zeroUnused}, {tOut},
                      {tOut, in, tN, tInOffset, tOutOffset}, {di});
}

} // namespace popops
