#include "poplar/graph/tensor_checks.hpp"
#include "poplar/plan/native_kernel.hpp"

#include <poplar/MetadataCreation.hpp>
#include <poplar/exceptions.hpp>

#include <cstdint>
#include <cstring>

namespace ipumodel {

namespace {

using Format = poplar::QuarterMetadata::Format;

// One QUARTER_METADATA from one INT.
class ScaleToMetadata : public NativeInstruction {
public:
  ScaleToMetadata(StepId step, std::vector<NativeOperand> operands,
                  Format format, std::string name)
      : NativeInstruction(step, std::move(operands)), format_(format),
        name_(std::move(name)) {}

protected:
  void compute(char *const *operands, char *, ThreadPool &) const override {
    std::int32_t scale;
    std::memcpy(&scale, operands[1], sizeof(scale));
    try {
      *operands[0] = static_cast<char>(
          poplar::QuarterMetadata(format_, scale).getBinary());
    } catch (const poplar::overflow_error &error) {
      throw poplar::application_runtime_error("metadata '" + name_ +
                                              "': " + error.what());
    }
  }

private:
  Format format_;
  std::string name_;
};

struct MetadataOperator {
  static constexpr const char *kName = "poplar.quarterMetadata";
  Format format;

  template <class Io> void fields(Io &io) { io.choice(format, Format::F152); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

InstructionPtr MetadataOperator::lower(const NativeOp &op,
                                       const std::string &name,
                                       PlanBuilder &builder) const {
  ScratchFrame frame(builder.memory());
  return std::make_shared<ScaleToMetadata>(
      builder.addStep({kName, name}),
      std::vector<NativeOperand>{
          {op.outputs.at(0)->view, 1, Access::write, builder, frame},
          {op.inputs.at(0)->view, sizeof(std::int32_t), Access::read, builder,
           frame}},
      format, name);
}

} // namespace

} // namespace ipumodel

namespace poplar {

Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format,
                                    const Tensor &scale,
                                    program::Sequence &prog,
                                    const DebugContext &debugContext) {
  const ipumodel::TensorData &data =
      ipumodel::dataOf(scale, "createVariableMetadataTensor");
  if (data.type != INT || scale.numElements() != 1)
    throw tensor_metadata_error("createVariableMetadataTensor: the scale " +
                                ipumodel::describe(data) + " is not one int");
  const Tensor metadata =
      createVariableMetadataTensor(graph, format, 0, debugContext);
  ipumodel::addNative(prog, ipumodel::MetadataOperator{format}, {metadata},
                      {scale}, debugContext);
  return metadata;
}

} // namespace poplar
