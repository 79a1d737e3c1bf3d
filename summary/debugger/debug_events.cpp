#include "summary/debugger/debug_events.hpp"

#include "summary/encoding/event_encoder.hpp"
#include "summary/encoding/serialize.hpp"
#include "summary/encoding/utf8.hpp"
#include "summary/encoding/wire.hpp"
#include "summary/proto/debug_event.pb.h"

#include <algorithm>
#include <cstdint>

namespace popscope::summary {

namespace {

constexpr const char *kFileVersion = "debug.Event:1";
constexpr const char *kGraphId = "1";
// The source is not a file of any machine.
constexpr const char *kSourceHost = "PopScope";
// The page draws an execution of such an op as one of a whole graph.
constexpr const char *kGraphPrefix = "__inference_";
constexpr std::size_t kShapeBytes = 4; // of a TensorShapeProto of rank 1

// Fields of DebugEvent, GraphExecutionTrace, TensorProto, TensorShapeProto.
constexpr unsigned kEventTrace = 10;
constexpr unsigned kTraceGraph = 1, kTraceOp = 2, kTraceMode = 4,
                   kTraceTensor = 5, kTraceDevice = 6;
constexpr unsigned kTensorType = 1, kTensorShape = 2, kTensorInt64 = 10;
constexpr unsigned kShapeDimension = 2, kDimensionSize = 1;

std::string frameOf(std::size_t line) { return "line" + std::to_string(line); }

proto::DebugEvent eventAt(WallTime time) {
  proto::DebugEvent event;
  event.set_wall_time(time.seconds());
  return event;
}

void setLocation(proto::CodeLocation &location, std::size_t line) {
  location.set_host_name(kSourceHost);
  location.add_stack_frame_ids(frameOf(line));
}

std::string graphNameOf(const DebuggedProgram &program) {
  return toUtf8(program.name);
}

// As protobuf writes it: an empty field is left out.
std::string bytesField(unsigned field, std::string_view bytes) {
  if (bytes.empty())
    return {};
  std::string encoded(wire::bytesFieldBytes(bytes.size()), '\0');
  wire::Writer(encoded.data()).bytesField(field, bytes);
  return encoded;
}

} // namespace

std::string metadataRecord(WallTime time) {
  proto::DebugEvent event = eventAt(time);
  auto *metadata = event.mutable_debug_metadata();
  metadata->set_tensorflow_version("PopScope");
  metadata->set_file_version(kFileVersion);
  metadata->set_tfdbg_run_id(std::string(kDebuggerRunId));
  return serialize(event);
}

std::string runIdOf(std::string_view metadataRecord) {
  proto::DebugEvent event;
  if (!event.ParseFromArray(metadataRecord.data(), int(metadataRecord.size())))
    return {};
  return event.debug_metadata().tfdbg_run_id();
}

std::vector<std::string> sourceFileRecords(const DebuggedProgram &program,
                                           WallTime time) {
  proto::DebugEvent event = eventAt(time);
  auto *file = event.mutable_source_file();
  file->set_file_path(graphNameOf(program));
  file->set_host_name(kSourceHost);
  for (const std::string &line : program.source)
    file->add_lines(toUtf8(line));
  return {serialize(event)};
}

std::vector<std::string> stackFrameRecords(const DebuggedProgram &program,
                                           WallTime time) {
  std::vector<std::string> records;
  const std::size_t lines = std::max<std::size_t>(program.source.size(), 1);
  for (std::size_t line = 1; line <= lines; ++line) {
    proto::DebugEvent event = eventAt(time);
    auto *frame = event.mutable_stack_frame_with_id();
    frame->set_id(frameOf(line));
    frame->mutable_file_line_col()->set_line(std::int32_t(line));
    // TensorBoard 2.20 lacks a file of its own that it needs to show source, so
    // the line stands where the name of a function is expected.
    if (line <= program.source.size())
      frame->mutable_file_line_col()->set_func(
          toUtf8(program.source[line - 1]));
    records.push_back(serialize(event));
  }
  return records;
}

std::vector<std::string> graphRecords(const DebuggedProgram &program,
                                      WallTime time) {
  std::vector<std::string> records;
  std::int32_t number = 0;
  for (const std::string &name : devicesOf(program)) {
    proto::DebugEvent event = eventAt(time);
    event.mutable_debugged_device()->set_device_name(toUtf8(name));
    event.mutable_debugged_device()->set_device_id(++number);
    records.push_back(serialize(event));
  }
  proto::DebugEvent graph = eventAt(time);
  graph.mutable_debugged_graph()->set_graph_id(kGraphId);
  graph.mutable_debugged_graph()->set_graph_name(graphNameOf(program));
  records.push_back(serialize(graph));
  const std::vector<std::string> names = opNames(program);
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const DebuggedOp &op = program.ops[i];
    proto::DebugEvent event = eventAt(time);
    auto *creation = event.mutable_graph_op_creation();
    creation->set_op_type(toUtf8(op.type));
    creation->set_op_name(names[i]);
    creation->set_graph_name(graphNameOf(program));
    creation->set_graph_id(kGraphId);
    creation->set_device_name(toUtf8(op.device));
    for (const std::size_t input : op.inputs)
      creation->add_input_names(names.at(input) + ":0");
    creation->set_num_outputs(1);
    setLocation(*creation->mutable_code_location(), op.line);
    creation->add_output_tensor_ids(std::int32_t(i + 1));
    records.push_back(serialize(event));
  }
  return records;
}

std::string executionRecord(const DebuggedProgram &program, WallTime time,
                            Step step, const HealthCounts &health) {
  proto::DebugEvent event = eventAt(time);
  event.set_step(step.value());
  auto *execution = event.mutable_execution();
  execution->set_op_type(kGraphPrefix + graphNameOf(program) + '_' +
                         std::to_string(step.value()));
  execution->set_num_outputs(1);
  execution->set_graph_id(kGraphId);
  execution->add_output_tensor_ids(std::int64_t(program.ops.size() + 1));
  execution->set_tensor_debug_mode(proto::CONCISE_HEALTH);
  auto *tensor = execution->add_tensor_protos();
  tensor->set_dtype(proto::DT_INT64);
  tensor->mutable_tensor_shape()->add_dim()->set_size(5);
  for (const std::uint64_t value :
       {std::uint64_t(program.ops.size() + 1), health.count, health.negInf,
        health.posInf, health.nan})
    tensor->add_int64_val(std::int64_t(value));
  setLocation(*execution->mutable_code_location(), 1);
  execution->add_output_tensor_device_ids(1);
  return serialize(event);
}

TraceEncoder::TraceEncoder(const DebuggedProgram &program, std::size_t number,
                           const std::string &name)
    : graphAndName_(bytesField(kTraceGraph, kGraphId) +
                    bytesField(kTraceOp, name)),
      device_(bytesField(kTraceDevice, toUtf8(program.ops[number].device))),
      tensorId_(number + 1),
      dataType_(tensorFlowType(program.ops[number].elementType)),
      rank_(program.ops[number].rank) {
  const std::vector<std::string> devices = devicesOf(program);
  deviceId_ = std::uint64_t(
      std::find(devices.begin(), devices.end(), program.ops[number].device) -
      devices.begin() + 1);
}

std::size_t TraceEncoder::bytes(Step step, const HealthCounts &health) {
  numValues_ = 0;
  packedBytes_ = 0;
  const auto add = [this](std::uint64_t value) {
    values_[numValues_++] = value;
    packedBytes_ += wire::varintBytes(value);
  };
  add(tensorId_);
  if (health.signs) {
    add(deviceId_);
    add(dataType_);
    add(rank_);
  }
  add(health.count);
  add(health.negInf);
  add(health.posInf);
  add(health.nan);
  if (health.signs) {
    add(health.signs->negative);
    add(health.signs->zero);
    add(health.signs->positive);
  }
  tensorBytes_ = 2 + wire::bytesFieldBytes(kShapeBytes) +
                 wire::bytesFieldBytes(packedBytes_);
  contentBytes_ = graphAndName_.size() + 2 +
                  wire::bytesFieldBytes(tensorBytes_) + device_.size();
  return eventBytes(step, contentBytes_);
}

void TraceEncoder::encode(WallTime time, Step step, char *to) const {
  const bool isConcise = numValues_ < kMostValues;
  wire::Writer writer(
      encodeEventHead(time, step, kEventTrace, contentBytes_, to));
  writer.raw(graphAndName_);
  writer.varintField(kTraceMode,
                     isConcise ? proto::CONCISE_HEALTH : proto::FULL_HEALTH);
  writer.bytesHeader(kTraceTensor, tensorBytes_);
  writer.varintField(kTensorType, proto::DT_INT64);
  writer.bytesHeader(kTensorShape, kShapeBytes);
  writer.bytesHeader(kShapeDimension, kShapeBytes - 2);
  writer.varintField(kDimensionSize, numValues_);
  writer.bytesHeader(kTensorInt64, packedBytes_);
  for (std::size_t i = 0; i < numValues_; ++i)
    writer.varint(values_[i]);
  writer.raw(device_);
}

} // namespace popscope::summary
