// The kernels "poprand.*". Elements are drawn in chunks, each a function of the
// stream and the chunk's position alone.
#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"
#include "poprand/distributions.hpp"
#include "poprand/random_ops.hpp"

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

constexpr std::size_t kChunk = 16 * kGroup;
constexpr std::size_t kChunksPerTask = 16;

// Assumes that all tiles have an equal share and draw two elements per cycle.
std::uint64_t estimateCycles(const PlanBuilder &builder, std::size_t count) {
  return count / 2 / builder.sharingTiles() + 1;
}

// The source of an operation's numbers: operand 1 is a seed, or the four words
// of a tile's generator, whose last two count the operations.
struct StreamSource {
  bool isSeeded;
  std::uint32_t seedModifier;
  std::uint32_t operation;

  RandomStream stream(const char *operand) const {
    std::uint32_t words[4] = {0, 0, seedModifier, operation};
    std::memcpy(words, operand, isSeeded ? 8 : sizeof words);
    return {{words[0], words[1]}, {words[2], words[3]}};
  }

  void advance(char *operand) const {
    if (isSeeded)
      return;
    std::uint64_t count;
    std::memcpy(&count, operand + 8, sizeof count);
    ++count;
    std::memcpy(operand + 8, &count, sizeof count);
  }
};

// Operands: out, seed or generator, and the operands of fill().
class RandomInstruction : public NativeInstruction {
public:
  RandomInstruction(StepId step, std::vector<NativeOperand> operands,
                    StreamSource source, std::size_t count)
      : NativeInstruction(step, std::move(operands)), source_(source),
        count_(count) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const final {
    const RandomStream stream = source_.stream(operands[1]);
    constexpr std::size_t kTask = kChunk * kChunksPerTask;
    pool.run((count_ + kTask - 1) / kTask, [&](std::size_t task) {
      std::uint32_t words[kChunk];
      const std::size_t end = std::min(count_, (task + 1) * kTask);
      for (std::size_t at = task * kTask; at < end; at += kChunk) {
        const std::size_t count = std::min(kChunk, end - at);
        drawWords(stream, at / kGroup, (count + kGroup - 1) / kGroup, words);
        fill(operands, words, at, count);
      }
    });
    source_.advance(operands[1]);
  }

  // Fills elements [at, at + count), at most a chunk; `words` are whole groups.
  virtual void fill(char *const *operands, const std::uint32_t *words,
                    std::size_t at, std::size_t count) const = 0;

private:
  StreamSource source_;
  std::size_t count_;
};

template <class Distribution> class Draw : public RandomInstruction {
public:
  Draw(StepId step, std::vector<NativeOperand> operands, StreamSource source,
       std::size_t count, bool isHalf, Distribution distribution)
      : RandomInstruction(step, std::move(operands), source, count),
        isHalf_(isHalf), distribution_(distribution) {}

protected:
  void fill(char *const *operands, const std::uint32_t *words, std::size_t at,
            std::size_t count) const override {
    float values[kChunk]; // or INTs
    distribution_(words, (count + kGroup - 1) / kGroup * kGroup, values);
    if (isHalf_)
      floatsToHalves(
          values, reinterpret_cast<std::uint16_t *>(operands[0]) + at, count);
    else
      std::memcpy(operands[0] + at * sizeof(float), values,
                  count * sizeof(float));
  }

private:
  bool isHalf_;
  Distribution distribution_;
};

template <> class Draw<Dropout> : public RandomInstruction {
public:
  Draw(StepId step, std::vector<NativeOperand> operands, StreamSource source,
       std::size_t count, bool isHalf, Dropout dropout)
      : RandomInstruction(step, std::move(operands), source, count),
        isHalf_(isHalf), dropout_(dropout) {}

protected:
  void fill(char *const *operands, const std::uint32_t *words, std::size_t at,
            std::size_t count) const override {
    if (!isHalf_) {
      dropout_(words, reinterpret_cast<const float *>(operands[2]) + at, count,
               reinterpret_cast<float *>(operands[0]) + at);
      return;
    }
    float values[kChunk];
    halvesToFloats(reinterpret_cast<const std::uint16_t *>(operands[2]) + at,
                   values, count);
    dropout_(words, values, count, values);
    floatsToHalves(values, reinterpret_cast<std::uint16_t *>(operands[0]) + at,
                   count);
  }

private:
  bool isHalf_;
  Dropout dropout_;
};

// Sets the generators' words, four per block. Operands: words, seed.
class SetSeed : public NativeInstruction {
public:
  SetSeed(StepId step, std::vector<NativeOperand> operands,
          std::uint32_t seedModifier, std::size_t count)
      : NativeInstruction(step, std::move(operands)), source_{true,
                                                              seedModifier,
                                                              kId},
        count_(count) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &) const override {
    const RandomStream stream = source_.stream(operands[1]);
    for (std::size_t block = 0; block < count_ / 4; ++block) {
      const auto words = philox(stream, block);
      std::memcpy(operands[0] + block * sizeof words, &words, sizeof words);
    }
  }

private:
  static constexpr std::uint32_t kId = 0;
  StreamSource source_;
  std::size_t count_;
};

} // namespace

template <class Distribution>
InstructionPtr DrawOperator<Distribution>::lower(const NativeOp &op,
                                                 const std::string &name,
                                                 PlanBuilder &builder) const {
  const TensorData &out = *op.outputs.at(0);
  const bool isSeeded = op.outputs.size() == 1;
  ScratchFrame frame(builder.memory());
  std::vector<NativeOperand> operands;
  operands.emplace_back(out.view, sizeOf(out.type), Access::write, builder,
                        frame);
  operands.emplace_back(op.inputs.at(0)->view, sizeof(std::uint32_t),
                        isSeeded ? Access::read : Access::readWrite, builder,
                        frame);
  if (op.inputs.size() > 1)
    operands.emplace_back(op.inputs[1]->view, sizeOf(op.inputs[1]->type),
                          Access::read, builder, frame);
  const std::size_t count = out.view.numElements();
  return std::make_shared<Draw<Distribution>>(
      builder.addStep({kName, name, estimateCycles(builder, count)}),
      std::move(operands),
      StreamSource{isSeeded, seedModifier, Distribution::kId}, count,
      out.type == poplar::HALF, distribution);
}

InstructionPtr SetSeedOperator::lower(const NativeOp &op,
                                      const std::string &name,
                                      PlanBuilder &builder) const {
  ScratchFrame frame(builder.memory());
  const View &words = op.outputs.at(0)->view;
  return std::make_shared<SetSeed>(
      builder.addStep({kName, name}),
      std::vector<NativeOperand>{
          {words, sizeof(std::uint32_t), Access::write, builder, frame},
          {op.inputs.at(0)->view, sizeof(std::uint32_t), Access::read, builder,
           frame}},
      seedModifier, words.numElements());
}

template struct DrawOperator<Uniform>;
template struct DrawOperator<UniformInt>;
template struct DrawOperator<LogUniform>;
template struct DrawOperator<Bernoulli>;
template struct DrawOperator<Normal>;
template struct DrawOperator<TruncatedNormal>;
template struct DrawOperator<Dropout>;

} // namespace ipumodel
