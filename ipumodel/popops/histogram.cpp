#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"

#include <popops/GatherStatistics.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace popops {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

enum class Sign : std::uint8_t { counts, dropped };
enum class Counts : std::uint8_t { replaced, addedTo };

struct Problem {
  Type type;
  Type countType;
  std::size_t numElements;
  std::size_t numLevels;
  Sign sign;
  Counts counts;
};

// Operands: output, input, levels.
class Histogram : public ipumodel::NativeInstruction {
public:
  Histogram(ipumodel::StepId step, std::vector<NativeOperand> operands,
            const Problem &problem, std::size_t numTasks, std::size_t levels,
            std::size_t partials)
      : NativeInstruction(step, std::move(operands)), problem_(problem),
        numTasks_(numTasks), levels_(levels), partials_(partials) {}

protected:
  void compute(char *const *operands, char *scratch,
               ThreadPool &pool) const override {
    auto *const levels = reinterpret_cast<float *>(scratch + levels_);
    for (std::size_t i = 0; i < problem_.numLevels; ++i)
      levels[i] = elementAt(operands[2], i);
    auto *const partials =
        reinterpret_cast<std::uint32_t *>(scratch + partials_);
    const std::size_t bins = problem_.numLevels + 1;
    std::memset(partials, 0, numTasks_ * bins * sizeof *partials);
    pool.run(numTasks_, [&](std::size_t task) {
      std::uint32_t *const counts = partials + task * bins;
      const std::size_t end = problem_.numElements * (task + 1) / numTasks_;
      for (std::size_t i = problem_.numElements * task / numTasks_; i < end;
           ++i)
        ++counts[binOf(elementAt(operands[1], i), levels)];
    });
    for (std::size_t bin = 0; bin < bins; ++bin) {
      std::uint32_t count = 0;
      for (std::size_t task = 0; task < numTasks_; ++task)
        count += partials[task * bins + bin];
      store(operands[0], bin, count);
    }
  }

private:
  float elementAt(const char *data, std::size_t i) const {
    return problem_.type == HALF
               ? ipumodel::halfToFloat(
                     reinterpret_cast<const std::uint16_t *>(data)[i])
               : reinterpret_cast<const float *>(data)[i];
  }

  // The number of levels <= x; all of them if x is NaN.
  std::size_t binOf(float x, const float *levels) const {
    if (problem_.sign == Sign::dropped)
      x = std::fabs(x);
    return static_cast<std::size_t>(
        std::upper_bound(levels, levels + problem_.numLevels, x) - levels);
  }

  void store(char *output, std::size_t bin, std::uint32_t count) const {
    if (problem_.countType == FLOAT)
      storeAs<float>(output, bin, count);
    else
      storeAs<std::uint32_t>(output, bin, count);
  }
  template <class T>
  void storeAs(char *output, std::size_t bin, std::uint32_t count) const {
    T &stored = reinterpret_cast<T *>(output)[bin];
    stored = static_cast<T>(count) +
             (problem_.counts == Counts::addedTo ? stored : T(0));
  }

  Problem problem_;
  std::size_t numTasks_;
  std::size_t levels_;   // as floats, in scratch memory
  std::size_t partials_; // counts per task, in scratch memory
};

// output <- input, levels, [output].
struct HistogramOperator {
  static constexpr const char *kName = "popops.histogram";
  Sign sign;
  Counts counts;

  template <class Io> void fields(Io &io) {
    io.choice(sign, Sign::dropped);
    io.choice(counts, Counts::addedTo);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::Histogram1D", op.inputs.at(0)->type,
                                   sign == Sign::dropped);
  }
};

InstructionPtr HistogramOperator::lower(const NativeOp &op,
                                        const std::string &name,
                                        PlanBuilder &builder) const {
  const ipumodel::TensorData &output = *op.outputs.at(0);
  const ipumodel::TensorData &input = *op.inputs.at(0);
  const ipumodel::TensorData &levels = *op.inputs.at(1);
  ipumodel::ScratchFrame frame(builder.memory());
  const auto operand = [&](const ipumodel::TensorData &tensor, Access access) {
    return NativeOperand(tensor.view, ipumodel::sizeOf(tensor.type), access,
                         builder, frame);
  };
  std::vector<NativeOperand> operands{
      operand(output,
              counts == Counts::addedTo ? Access::readWrite : Access::write),
      operand(input, Access::read), operand(levels, Access::read)};
  const Problem problem{input.type,
                        output.type,
                        input.view.numElements(),
                        levels.view.numElements(),
                        sign,
                        counts};
  constexpr std::size_t kTaskElements = 16384, kMaxTasks = 32;
  const std::size_t tasks = std::clamp<std::size_t>(
      problem.numElements / kTaskElements, 1, kMaxTasks);
  const std::size_t alignment = ipumodel::Buffer::kAlignment;
  const std::size_t levelsAt =
      frame.take(problem.numLevels * sizeof(float), alignment);
  const std::size_t partialsAt = frame.take(
      tasks * (problem.numLevels + 1) * sizeof(std::uint32_t), alignment);
  return std::make_shared<Histogram>(
      builder.addStep(
          {kName, name, problem.numElements * (problem.numLevels + 1) + 1}),
      std::move(operands), problem, tasks, levelsAt, partialsAt);
}

// Counts are exact however they are summed, so only the type of the result
// matters.
struct HistogramOptions {
  bool asFloat = false; // the counts are FLOAT
  bool inFloat = false; // they are summed in FLOAT, and UNSIGNED_INT
};

HistogramOptions histogramOptions(const OptionFlags &options) {
  HistogramOptions result;
  const poplibs::OptionSpec spec{
      {"useFloatArithmetic",
       poplibs::OptionHandler::createWithBool(result.asFloat)},
      {"useFloatArithmeticWithUnsignedIntOutput",
       poplibs::OptionHandler::createWithBool(result.inFloat)},
  };
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  if (result.asFloat && result.inFloat)
    throw invalid_option("histogram: useFloatArithmetic excludes "
                         "useFloatArithmeticWithUnsignedIntOutput");
  return result;
}

void addHistogram(const Tensor &input, const Tensor &output, Counts counts,
                  const Tensor &levels, bool absoluteOfInput, Sequence &prog,
                  const DebugContext &context) {
  const Type type = input.elementType();
  if (type != HALF && type != FLOAT)
    throw poplibs_error("histogram: elements are HALF or FLOAT, not " +
                        type.toString());
  if (levels.elementType() != type)
    throw poplibs_error("histogram: levels are " +
                        levels.elementType().toString() + " but elements " +
                        type.toString());
  if (output.rank() != 1 || output.dim(0) != levels.dim(0) + 1)
    throw poplibs_error("histogram: " + output.shapeToString() +
                        " does not hold the counts between " +
                        std::to_string(levels.dim(0)) + " levels");
  std::vector<Tensor> inputs{input, levels};
  if (counts == Counts::addedTo)
    inputs.push_back(output);
  const Sign sign = absoluteOfInput ? Sign::dropped : Sign::counts;
  ipumodel::addNative(prog, HistogramOperator{sign, counts}, {output}, inputs,
                      context);
}

Tensor addOutput(Graph &graph, const Type &type, const Tensor &levels,
                 const DebugContext &context) {
  if (levels.rank() != 1)
    throw poplibs_error("histogram: levels have a rank of 1, not the shape " +
                        levels.shapeToString());
  const Tensor out = graph.addVariable(type, {levels.dim(0) + 1}, context);
  poputil::mapTensorLinearly(graph, out);
  return out;
}

} // namespace

Tensor histogram(Graph &graph, const Tensor &input, const Tensor &levels,
                 bool absoluteOfInput, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(input, levels, absoluteOfInput));
  const Tensor out =
      addOutput(graph, histogramOptions(options).asFloat ? FLOAT : UNSIGNED_INT,
                levels, {di});
  addHistogram(input, out, Counts::replaced, levels, absoluteOfInput, prog,
               {di});
  di.addOutput(out);
  return out;
}

void histogram(Graph &graph, const Tensor &input, Tensor &output,
               bool updateOutput, const Tensor &levels, bool absoluteOfInput,
               Sequence &prog, const DebugContext &debugContext,
               const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(input, levels, absoluteOfInput));
  const HistogramOptions settings = histogramOptions(options);
  if (settings.asFloat)
    throw invalid_option("histogram: useFloatArithmetic is for a new tensor");
  const Type type = output.elementType();
  if (type != UNSIGNED_INT &&
      (settings.inFloat || (updateOutput && type != FLOAT)))
    throw poplibs_error("histogram: counts are UNSIGNED_INT, not " +
                        type.toString());
  if (!updateOutput && type != FLOAT)
    output = addOutput(graph, UNSIGNED_INT, levels, {di});
  addHistogram(input, output, updateOutput ? Counts::addedTo : Counts::replaced,
               levels, absoluteOfInput, prog, {di});
}

} // namespace popops
