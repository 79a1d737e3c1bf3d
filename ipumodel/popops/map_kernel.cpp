// The kernel "popops.map": evaluates a MapProgram in one pass over its tensors.
#include "poplar/native_kernel.hpp"
#include "poplar/type_info.hpp"
#include "popops/map_code.hpp"

#include <algorithm>

namespace popops {

namespace {

using ipumodel::CopyPlan;
using ipumodel::InstructionPtr;
using ipumodel::Machine;
using ipumodel::NativeOp;
using ipumodel::PlanBuilder;
using ipumodel::Replica;
using ipumodel::TensorPtr;
using ipumodel::View;

class MapInstruction : public ipumodel::Instruction {
public:
  MapInstruction(ipumodel::StepId step, CopyPlan stage, MapLayout layout,
                 MapCode code)
      : step_(step), stage_(std::move(stage)), layout_(std::move(layout)),
        code_(std::move(code)) {}

  void run(Machine &machine) const override {
    machine.count(step_);
    for (const Replica &replica : machine.replicas) {
      char *const memory = replica.memory.data();
      char *const scratch = replica.scratch.data();
      stage_.run(scratch, memory, machine.pool);
      machine.pool.run(layout_.numTasks(), [&](std::size_t task) {
        code_.runTask(layout_, task, memory, scratch);
      });
    }
  }

private:
  ipumodel::StepId step_;
  CopyPlan stage_; // inputs that outputs would overwrite too early
  MapLayout layout_;
  MapCode code_;
};

bool repeatsOneElement(const View &view) {
  if (view.blocks().size() != 1)
    return false;
  for (const ipumodel::BlockDim &dim : view.blocks()[0].dims)
    for (const ipumodel::Loop &loop : dim.loops)
      if (loop.stride != 0)
        return false;
  return true;
}

// As if all tiles had an equal share, and computed two elements per cycle and
// step of the program.
std::uint64_t estimateCycles(const ipumodel::GraphData &graph,
                             std::size_t elements, std::size_t steps) {
  constexpr std::uint64_t kCallCycles = 20;
  const std::uint64_t perTile =
      elements / std::max(1u, graph.target.getNumTiles()) + 1;
  return kCallCycles + perTile * std::max<std::size_t>(steps, 1) / 2;
}

InstructionPtr makeMap(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) {
  const MapProgram program = loadMapProgram(op.parameters);
  std::vector<MapTensor> operands;
  for (const TensorPtr &output : op.outputs)
    operands.push_back({output->view, ipumodel::sizeOf(output->type)});
  ipumodel::ScratchFrame frame(builder.memory());
  CopyPlan stage;
  std::vector<bool> isUniform;
  bool writesInPlace = false;
  for (const TensorPtr &input : op.inputs) {
    const std::size_t size = ipumodel::sizeOf(input->type);
    View view = input->view;
    isUniform.push_back(repeatsOneElement(view));
    bool isStaged = false;
    for (const TensorPtr &output : op.outputs) {
      const bool overlaps = output->view.overlaps(input->view);
      writesInPlace = writesInPlace || overlaps;
      isStaged = isStaged || (overlaps && !(output->view == input->view));
    }
    if (isStaged) {
      const std::size_t count = view.numElements();
      const std::size_t at =
          frame.take(count * size, ipumodel::Buffer::kAlignment);
      const View flat = ipumodel::flatView(at, count, size);
      stage.append(builder.memory().lowerCopy(flat, view, size));
      view = flat.reshape(view.shape());
      isUniform.back() = count == 1;
    }
    operands.push_back({std::move(view), size});
  }
  MapCode code(op, program, isUniform, writesInPlace);
  MapLayout layout(operands, builder.memory());
  const std::uint64_t cycles =
      estimateCycles(builder.graph(), layout.numElements(), code.numSteps());
  return std::make_shared<MapInstruction>(
      builder.addStep({"popops.map", name, cycles}), std::move(stage),
      std::move(layout), std::move(code));
}

const bool registered = ipumodel::registerKernel("popops.map", makeMap);

} // namespace

} // namespace popops
