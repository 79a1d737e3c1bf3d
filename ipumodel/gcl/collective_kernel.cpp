// The kernels "gcl.*". They see all replicas of an instance at once; an output
// may be the input itself.
#include "gcl/all_reduce.hpp"
#include "gcl/collective_ops.hpp"
#include "gcl/gather.hpp"
#include "gcl/reduce_scatter.hpp"
#include "poplar/base/content_hash.hpp"
#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace ipumodel {

namespace {

// The data that all members send, as if one tile after the other sent them at
// the rate of the exchange.
Step stepOf(const char *kernel, const std::string &name,
            const PlanBuilder &builder, const TensorData &sent,
            std::size_t members) {
  const auto &target = builder.graph().target;
  const std::uint64_t bytes =
      sent.view.numElements() * sizeOf(sent.type) * (members - 1);
  return {kernel, name,
          bytes / std::max(1u, target.getExchangeBytesPerCycle()) + 1,
          bytes * builder.graph().replicationFactor};
}

class ReduceRows : public NativeInstruction {
public:
  ReduceRows(StepId step, std::vector<NativeOperand> operands,
             gcl::CollectiveOperator op, poplar::Type type, std::size_t rows,
             std::size_t columns)
      : NativeInstruction(step, std::move(operands)), op_(op), type_(type),
        rows_(rows), columns_(columns) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    const std::size_t bytes = columns_ * sizeOf(type_);
    const auto row = [bytes](char *first) {
      return [=](std::size_t i) { return first + i * bytes; };
    };
    combine(op_, type_, columns_, rows_, row(operands[1]), rows_,
            row(operands[0]), pool);
  }

private:
  gcl::CollectiveOperator op_;
  poplar::Type type_;
  std::size_t rows_, columns_;
};

// Equal on all instances that do the same.
ExchangeStep exchangeOf(const std::string &name, const NativeOp &op) {
  const TensorData &data = *op.inputs.at(0);
  const std::string text = op.what->parameters() +
                           data.type.toString().cloneAsString() + ' ' +
                           std::to_string(data.view.numElements());
  return ExchangeStep(std::string(op.what->name()) + " '" + name + "'",
                      contentHash(text));
}

struct Operands {
  Operands(const NativeOp &op, PlanBuilder &builder)
      : data(*op.inputs.at(0)), count(data.view.numElements()),
        size(sizeOf(data.type)), frame(builder.memory()),
        out(op.outputs.at(0)->view, size, Access::write, builder, frame),
        in(data.view, size, Access::read, builder, frame) {}

  const TensorData &data;
  std::size_t count;
  std::size_t size; // of an element
  ScratchFrame frame;
  NativeOperand out, in;
};

struct ReduceOperator {
  static constexpr const char *kName = "gcl.reduce";
  gcl::CollectiveOperator operation;
  Share share;
  ReplicaGroups groups;

  template <class Io> void fields(Io &io) {
    io.choice(operation, gcl::CollectiveOperator::LOCAL);
    io.choice(share, Share::part);
    io(groups.size, groups.members);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

InstructionPtr ReduceOperator::lower(const NativeOp &op,
                                     const std::string &name,
                                     PlanBuilder &builder) const {
  Operands operands(op, builder);
  const StepId step =
      builder.addStep(stepOf(kName, name, builder, operands.data, groups.size));
  if (share == Share::whole)
    return std::make_shared<AllReduce>(
        step, exchangeOf(name, op), std::move(operands.out),
        std::move(operands.in), groups, operation, operands.data.type,
        operands.count);
  return std::make_shared<ReduceScatter>(
      step, exchangeOf(name, op), std::move(operands.out),
      std::move(operands.in), groups, operation, operands.data.type,
      operands.count, op.outputs[0]->view.numElements());
}

struct GatherOperator {
  static constexpr const char *kName = "gcl.gather";
  Share share;
  ReplicaGroups groups;

  template <class Io> void fields(Io &io) {
    io.choice(share, Share::part);
    io(groups.size, groups.members);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

InstructionPtr GatherOperator::lower(const NativeOp &op,
                                     const std::string &name,
                                     PlanBuilder &builder) const {
  Operands operands(op, builder);
  const std::size_t bytes =
      op.outputs[0]->view.numElements() / groups.size * operands.size;
  const StepId step =
      builder.addStep(stepOf(kName, name, builder, operands.data, groups.size));
  return std::make_shared<Gather>(step, exchangeOf(name, op),
                                  std::move(operands.out),
                                  std::move(operands.in), groups, share, bytes);
}

struct ReduceRowsOperator {
  static constexpr const char *kName = "gcl.reduceRows";
  gcl::CollectiveOperator operation;

  template <class Io> void fields(Io &io) {
    io.choice(operation, gcl::CollectiveOperator::LOCAL);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

InstructionPtr ReduceRowsOperator::lower(const NativeOp &op,
                                         const std::string &name,
                                         PlanBuilder &builder) const {
  Operands operands(op, builder);
  const Shape &shape = operands.data.view.shape();
  const StepId step =
      builder.addStep(stepOf(kName, name, builder, operands.data, shape.at(0)));
  return std::make_shared<ReduceRows>(
      step,
      std::vector<NativeOperand>{std::move(operands.out),
                                 std::move(operands.in)},
      operation, operands.data.type, shape[0], shape.at(1));
}

} // namespace

void addReduce(poplar::program::Sequence &prog, const poplar::Tensor &data,
               const poplar::Tensor &out, gcl::CollectiveOperator op,
               Share share, const ReplicaGroups &groups,
               const poplar::DebugContext &debugContext) {
  addNative(prog, ReduceOperator{op, share, groups}, {out}, {data},
            debugContext);
}

void addGather(poplar::program::Sequence &prog, const poplar::Tensor &data,
               const poplar::Tensor &out, Share share,
               const ReplicaGroups &groups,
               const poplar::DebugContext &debugContext) {
  addNative(prog, GatherOperator{share, groups}, {out}, {data}, debugContext);
}

void addReduceRows(poplar::program::Sequence &prog, const poplar::Tensor &data,
                   const poplar::Tensor &out, gcl::CollectiveOperator op,
                   const poplar::DebugContext &debugContext) {
  addNative(prog, ReduceRowsOperator{op}, {out}, {data}, debugContext);
}

} // namespace ipumodel
