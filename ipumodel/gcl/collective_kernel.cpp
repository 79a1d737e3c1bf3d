// The kernels "gcl.*". They see all replicas at once; an output may be the
// input itself.
#include "gcl/collective_ops.hpp"
#include "gcl/combine.hpp"
#include "poplar/native_kernel.hpp"
#include "poplar/type_info.hpp"

#include <algorithm>

namespace gcl {

namespace {

using ipumodel::Access;
using ipumodel::ExecutionState;
using ipumodel::InstructionPtr;
using ipumodel::NativeOp;
using ipumodel::NativeOperand;
using ipumodel::PlanBuilder;
using ipumodel::ThreadPool;

constexpr const char *kReduce = "gcl.reduce";
constexpr const char *kGather = "gcl.gather";
constexpr const char *kReduceRows = "gcl.reduceRows";

// The data that all members send, as if one tile after the other sent them at
// the rate of the exchange.
ipumodel::Step stepOf(const char *kernel, const std::string &name,
                      const PlanBuilder &builder,
                      const ipumodel::TensorData &sent, std::size_t members) {
  const auto &target = builder.graph().target;
  const std::uint64_t bytes =
      sent.view.numElements() * ipumodel::sizeOf(sent.type) * (members - 1);
  return {kernel, name,
          bytes / std::max(1u, target.getExchangeBytesPerCycle()) + 1,
          bytes * builder.graph().replicationFactor};
}

// Combines rows(0), ..., rows(numRows - 1) and stores the result at to(0), ...,
// to(numCopies - 1).
template <class Rows, class To>
void combine(CollectiveOperator op, const poplar::Type &type, std::size_t count,
             std::size_t numRows, Rows &&rows, std::size_t numCopies, To &&to,
             ThreadPool &pool) {
  const std::size_t size = ipumodel::sizeOf(type);
  pool.run((count + kCombineBlock - 1) / kCombineBlock, [&](std::size_t task) {
    const std::size_t first = task * kCombineBlock;
    Combiner combiner(op, type, std::min(kCombineBlock, count - first));
    for (std::size_t row = 0; row < numRows; ++row)
      combiner.add(rows(row) + first * size);
    combiner.finish();
    for (std::size_t copy = 0; copy < numCopies; ++copy)
      combiner.store(to(copy) + first * size);
  });
}

class Collective : public ipumodel::Instruction {
public:
  Collective(ipumodel::StepId step, NativeOperand out, NativeOperand data,
             ReplicaGroups groups)
      : groups_(std::move(groups)), step_(step), out_(std::move(out)),
        data_(std::move(data)) {}

  void run(ExecutionState &state) const final {
    state.count(step_);
    for (const ipumodel::Replica &replica : state.replicas)
      data_.load(replica, state.pool);
    for (std::size_t group = 0; group < groups_.count(); ++group)
      exchange(state, group);
    for (const ipumodel::Replica &replica : state.replicas)
      out_.store(replica, state.pool);
  }

protected:
  virtual void exchange(ExecutionState &state, std::size_t group) const = 0;

  const char *dataOf(const ExecutionState &state, std::size_t group,
                     std::size_t position) const {
    return data_.at(state.replicas[groups_.member(group, position)]);
  }
  char *outOf(const ExecutionState &state, std::size_t group,
              std::size_t position) const {
    return out_.at(state.replicas[groups_.member(group, position)]);
  }

  const ReplicaGroups groups_;

private:
  ipumodel::StepId step_;
  NativeOperand out_;
  NativeOperand data_;
};

class AllReduce : public Collective {
public:
  AllReduce(ipumodel::StepId step, NativeOperand out, NativeOperand data,
            ReplicaGroups groups, CollectiveOperator op, poplar::Type type,
            std::size_t count)
      : Collective(step, std::move(out), std::move(data), std::move(groups)),
        op_(op), type_(type), count_(count) {}

protected:
  void exchange(ExecutionState &state, std::size_t group) const override {
    combine(
        op_, type_, count_, groups_.size,
        [&](std::size_t i) { return dataOf(state, group, i); }, groups_.size,
        [&](std::size_t i) { return outOf(state, group, i); }, state.pool);
  }

private:
  CollectiveOperator op_;
  poplar::Type type_;
  std::size_t count_;
};

class ReduceScatter : public Collective {
public:
  ReduceScatter(ipumodel::StepId step, NativeOperand out, NativeOperand data,
                ReplicaGroups groups, CollectiveOperator op, poplar::Type type,
                std::size_t count, std::size_t part)
      : Collective(step, std::move(out), std::move(data), std::move(groups)),
        op_(op), type_(type), count_(count), part_(part) {}

protected:
  void exchange(ExecutionState &state, std::size_t group) const override {
    const std::size_t size = ipumodel::sizeOf(type_);
    const bool isLocal = op_ == CollectiveOperator::LOCAL;
    for (std::size_t position = 0; position < groups_.size; ++position) {
      const std::size_t first = std::min(count_, position * part_);
      const std::size_t count = std::min(part_, count_ - first);
      char *const to = outOf(state, group, position);
      combine(
          op_, type_, count, isLocal ? 1 : groups_.size,
          [&](std::size_t i) {
            return dataOf(state, group, isLocal ? position : i) + first * size;
          },
          1, [&](std::size_t) { return to; }, state.pool);
      std::fill(to + count * size, to + part_ * size, char(0));
    }
  }

private:
  CollectiveOperator op_;
  poplar::Type type_;
  std::size_t count_;
  std::size_t part_; // of each member
};

class Gather : public Collective {
public:
  Gather(ipumodel::StepId step, NativeOperand out, NativeOperand data,
         ReplicaGroups groups, Share share, std::size_t bytes)
      : Collective(step, std::move(out), std::move(data), std::move(groups)),
        share_(share), bytes_(bytes) {}

protected:
  void exchange(ExecutionState &state, std::size_t group) const override {
    const std::size_t size = groups_.size;
    state.pool.run(size * size, [&](std::size_t task) {
      const std::size_t to = task / size, from = task % size;
      const std::size_t row = share_ == Share::part ? to : 0;
      std::copy_n(dataOf(state, group, from) + row * bytes_, bytes_,
                  outOf(state, group, to) + from * bytes_);
    });
  }

private:
  Share share_;
  std::size_t bytes_; // from each member to each
};

class ReduceRows : public ipumodel::NativeInstruction {
public:
  ReduceRows(ipumodel::StepId step, std::vector<NativeOperand> operands,
             CollectiveOperator op, poplar::Type type, std::size_t rows,
             std::size_t columns)
      : NativeInstruction(step, std::move(operands)), op_(op), type_(type),
        rows_(rows), columns_(columns) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &pool) const override {
    const std::size_t bytes = columns_ * ipumodel::sizeOf(type_);
    const auto row = [bytes](char *first) {
      return [=](std::size_t i) { return first + i * bytes; };
    };
    combine(op_, type_, columns_, rows_, row(operands[1]), rows_,
            row(operands[0]), pool);
  }

private:
  CollectiveOperator op_;
  poplar::Type type_;
  std::size_t rows_, columns_;
};

void put(ipumodel::ParameterWriter &writer, const ReplicaGroups &groups) {
  writer.put(static_cast<std::uint64_t>(groups.size)).put(groups.members);
}

ReplicaGroups getGroups(ipumodel::ParameterReader &reader) {
  const auto size = reader.get<std::uint64_t>();
  return {size, reader.getVector<unsigned>()};
}

struct Operands {
  Operands(const NativeOp &op, PlanBuilder &builder)
      : data(*op.inputs.at(0)), count(data.view.numElements()),
        size(ipumodel::sizeOf(data.type)), frame(builder.memory()),
        out(op.outputs.at(0)->view, size, Access::write, builder, frame),
        in(data.view, size, Access::read, builder, frame) {}

  const ipumodel::TensorData &data;
  std::size_t count;
  std::size_t size; // of an element
  ipumodel::ScratchFrame frame;
  NativeOperand out, in;
};

InstructionPtr makeReduce(const NativeOp &op, const std::string &name,
                          PlanBuilder &builder) {
  ipumodel::ParameterReader reader(op.parameters);
  const auto operation = reader.get<CollectiveOperator>();
  const auto share = reader.get<Share>();
  ReplicaGroups groups = getGroups(reader);
  Operands operands(op, builder);
  const ipumodel::StepId step = builder.addStep(
      stepOf(kReduce, name, builder, operands.data, groups.size));
  if (share == Share::whole)
    return std::make_shared<AllReduce>(
        step, std::move(operands.out), std::move(operands.in),
        std::move(groups), operation, operands.data.type, operands.count);
  return std::make_shared<ReduceScatter>(
      step, std::move(operands.out), std::move(operands.in), std::move(groups),
      operation, operands.data.type, operands.count,
      op.outputs[0]->view.numElements());
}

InstructionPtr makeGather(const NativeOp &op, const std::string &name,
                          PlanBuilder &builder) {
  ipumodel::ParameterReader reader(op.parameters);
  const auto share = reader.get<Share>();
  ReplicaGroups groups = getGroups(reader);
  Operands operands(op, builder);
  const std::size_t bytes =
      op.outputs[0]->view.numElements() / groups.size * operands.size;
  const ipumodel::StepId step = builder.addStep(
      stepOf(kGather, name, builder, operands.data, groups.size));
  return std::make_shared<Gather>(step, std::move(operands.out),
                                  std::move(operands.in), std::move(groups),
                                  share, bytes);
}

InstructionPtr makeReduceRows(const NativeOp &op, const std::string &name,
                              PlanBuilder &builder) {
  ipumodel::ParameterReader reader(op.parameters);
  const auto operation = reader.get<CollectiveOperator>();
  Operands operands(op, builder);
  const ipumodel::Shape &shape = operands.data.view.shape();
  const ipumodel::StepId step = builder.addStep(
      stepOf(kReduceRows, name, builder, operands.data, shape.at(0)));
  return std::make_shared<ReduceRows>(
      step,
      std::vector<NativeOperand>{std::move(operands.out),
                                 std::move(operands.in)},
      operation, operands.data.type, shape[0], shape.at(1));
}

const bool registered = ipumodel::registerKernel(kReduce, makeReduce) &&
                        ipumodel::registerKernel(kGather, makeGather) &&
                        ipumodel::registerKernel(kReduceRows, makeReduceRows);

} // namespace

void addReduce(poplar::program::Sequence &prog, const poplar::Tensor &data,
               const poplar::Tensor &out, CollectiveOperator op, Share share,
               const ReplicaGroups &groups,
               const poplar::DebugContext &debugContext) {
  ipumodel::ParameterWriter parameters;
  parameters.put(op).put(share);
  put(parameters, groups);
  ipumodel::addNative(prog, kReduce, {out}, {data}, parameters.take(),
                      debugContext);
}

void addGather(poplar::program::Sequence &prog, const poplar::Tensor &data,
               const poplar::Tensor &out, Share share,
               const ReplicaGroups &groups,
               const poplar::DebugContext &debugContext) {
  ipumodel::ParameterWriter parameters;
  parameters.put(share);
  put(parameters, groups);
  ipumodel::addNative(prog, kGather, {out}, {data}, parameters.take(),
                      debugContext);
}

void addReduceRows(poplar::program::Sequence &prog, const poplar::Tensor &data,
                   const poplar::Tensor &out, CollectiveOperator op,
                   const poplar::DebugContext &debugContext) {
  ipumodel::addNative(prog, kReduceRows, {out}, {data},
                      ipumodel::ParameterWriter().put(op).take(), debugContext);
}

} // namespace gcl
