#include "popops/top_k_kernel.hpp"

#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"

#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

using namespace poplar;

// An element's rank in the upper half, its position in the row in the lower
// half: in ascending order, entries are elements from best to worst, and equal
// ones in the order of the row.
using Entry = std::uint64_t;
constexpr Entry kRanks = 0xffffffff00000000;

// Ranks are unsigned integers in the order of the elements.
std::uint32_t rankOf(std::uint32_t value) { return value; }

std::uint32_t rankOf(std::int32_t value) {
  return static_cast<std::uint32_t>(value) ^ 0x80000000;
}

// From the bits of a float or half: both zeros are equal; all NaNs are equal
// and come last.
template <class Bits> std::uint32_t rankOfFloat(Bits bits, Bits infinity) {
  constexpr auto kSign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  const auto magnitude = Bits(bits & Bits(~kSign));
  if (magnitude > infinity)
    return Bits(~Bits(0));
  return bits & kSign ? Bits(kSign - magnitude) : Bits(kSign + magnitude);
}

std::uint32_t rankAt(const char *row, std::size_t i, const Type &type) {
  if (type == HALF)
    return rankOfFloat<std::uint16_t>(
        reinterpret_cast<const std::uint16_t *>(row)[i], 0x7c00);
  const std::uint32_t bits = reinterpret_cast<const std::uint32_t *>(row)[i];
  if (type == FLOAT)
    return rankOfFloat<std::uint32_t>(bits, 0x7f800000);
  return type == INT ? rankOf(static_cast<std::int32_t>(bits)) : rankOf(bits);
}

void pick(const char *row, std::size_t elementSize, const Entry *entries,
          std::size_t k, char *out) {
  for (std::size_t i = 0; i < k; ++i)
    std::memcpy(out + i * elementSize,
                row + (entries[i] & ~kRanks) * elementSize, elementSize);
}

struct RankedRows {
  std::size_t count;
  std::size_t length;
  Type keyType;
  std::size_t keySize;
  std::size_t valueSize; // of the extra tensor; zero if there is none
};

// Operands: keys, their output, the extra output, its input if there is one.
class TopKInstruction : public NativeInstruction {
public:
  TopKInstruction(StepId step, std::vector<NativeOperand> operands,
                  const popops::TopKParams &params, TopKExtra extra,
                  const RankedRows &rows, std::size_t numTasks,
                  std::size_t entries)
      : NativeInstruction(step, std::move(operands)), params_(params),
        extra_(extra), rows_(rows), numTasks_(numTasks), entries_(entries) {}

protected:
  void compute(char *const *operands, char *scratch,
               ThreadPool &pool) const override {
    auto *const scratchEntries = reinterpret_cast<Entry *>(scratch + entries_);
    pool.run(numTasks_, [&](std::size_t task) {
      Entry *const entries = scratchEntries + task * rows_.length;
      const std::size_t end = rows_.count * (task + 1) / numTasks_;
      for (std::size_t row = rows_.count * task / numTasks_; row < end; ++row)
        computeRow(operands, row, entries);
    });
  }

private:
  void computeRow(char *const *operands, std::size_t row,
                  Entry *entries) const {
    const std::size_t n = rows_.length, k = params_.k;
    const char *const keys = operands[0] + row * n * rows_.keySize;
    order(keys, entries);
    pick(keys, rows_.keySize, entries, k,
         operands[1] + row * k * rows_.keySize);
    if (extra_ == TopKExtra::none)
      return;
    char *const out = operands[2] + row * k * rows_.valueSize;
    if (extra_ == TopKExtra::values) {
      pick(operands[3] + row * n * rows_.valueSize, rows_.valueSize, entries, k,
           out);
      return;
    }
    for (std::size_t i = 0; i < k; ++i)
      reinterpret_cast<std::uint32_t *>(out)[i] =
          static_cast<std::uint32_t>(entries[i]);
  }

  // Sorts the best k entries into the requested order.
  void order(const char *keys, Entry *entries) const {
    const std::size_t n = rows_.length, k = params_.k;
    const Entry flip = params_.largest ? kRanks : 0;
    for (std::size_t i = 0; i < n; ++i)
      entries[i] = (Entry(rankAt(keys, i, rows_.keyType)) << 32 | i) ^ flip;
    if (k < n)
      std::nth_element(entries, entries + k, entries + n);
    if (params_.sortOrder == popops::SortOrder::NONE)
      return;
    if ((params_.sortOrder == popops::SortOrder::DESCENDING) != params_.largest)
      for (std::size_t i = 0; i < k; ++i)
        entries[i] ^= kRanks;
    std::sort(entries, entries + k);
  }

  popops::TopKParams params_;
  TopKExtra extra_;
  RankedRows rows_;
  std::size_t numTasks_;
  std::size_t entries_; // in scratch memory, a row for each task
};

// keys, [extra] <- keys, [values].
struct TopKOperator {
  static constexpr const char *kName = "popops.topK";
  unsigned k;
  bool largest;
  popops::SortOrder sortOrder;
  TopKExtra extra;

  template <class Io> void fields(Io &io) {
    io(k, largest);
    io.choice(sortOrder, popops::SortOrder::DESCENDING);
    io.choice(extra, TopKExtra::values);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popops::CompareAndSwapAtDistance",
                                   op.inputs.at(0)->type);
  }
};

InstructionPtr TopKOperator::lower(const NativeOp &op, const std::string &name,
                                   PlanBuilder &builder) const {
  ScratchFrame frame(builder.memory());
  const auto operand = [&](const TensorPtr &tensor, Access access) {
    return NativeOperand(tensor->view, sizeOf(tensor->type), access, builder,
                         frame);
  };
  const TensorData &keys = *op.inputs.at(0);
  RankedRows rows{1, keys.view.shape().back(), keys.type, sizeOf(keys.type), 0};
  for (std::size_t d = 0; d + 1 < keys.view.shape().size(); ++d)
    rows.count *= keys.view.shape()[d];
  std::vector<NativeOperand> operands{operand(op.inputs[0], Access::read),
                                      operand(op.outputs.at(0), Access::write)};
  if (extra != TopKExtra::none) {
    operands.push_back(operand(op.outputs.at(1), Access::write));
    rows.valueSize = sizeOf(op.outputs[1]->type);
  }
  if (extra == TopKExtra::values)
    operands.push_back(operand(op.inputs.at(1), Access::read));
  constexpr std::size_t kMaxTasks = 16;
  const std::size_t tasks = std::clamp<std::size_t>(rows.count, 1, kMaxTasks);
  const std::size_t entries =
      frame.take(tasks * rows.length * sizeof(Entry), Buffer::kAlignment);
  const std::size_t elements = keys.view.numElements();
  return std::make_shared<TopKInstruction>(
      builder.addStep({kName, name, 8 * elements + 1}), std::move(operands),
      popops::TopKParams(k, largest, sortOrder), extra, rows, tasks, entries);
}

} // namespace

void addTopK(program::Sequence &prog, const popops::TopKParams &params,
             TopKExtra extra, const std::vector<Tensor> &outputs,
             const std::vector<Tensor> &inputs,
             const DebugContext &debugContext) {
  const Type type = inputs[0].elementType();
  if (type != HALF && type != FLOAT && type != INT && type != UNSIGNED_INT)
    throw poputil::poplibs_error("Elements of type " + type.toString() +
                                 " cannot be sorted");
  // Any order will do for NONE; sorting keeps equal elements in theirs.
  const popops::SortOrder order =
      params.sortOrder != popops::SortOrder::NONE || !params.stableSort
          ? params.sortOrder
      : params.largest ? popops::SortOrder::DESCENDING
                       : popops::SortOrder::ASCENDING;
  addNative(prog, TopKOperator{params.k, params.largest, order, extra}, outputs,
            inputs, debugContext);
}

} // namespace ipumodel
