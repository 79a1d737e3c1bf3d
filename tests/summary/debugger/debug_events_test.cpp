#include "summary/debugger/debug_events.hpp"
#include "summary/proto/debug_event.pb.h"
#include "tests/support/hex.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::summary {
namespace {

using testing::ElementsAre;

DebuggedProgram program() {
  DebuggedProgram program;
  program.name = "update";
  program.source = {"# all", "x = input()", "y = activation(x)"};
  DebuggedOp x;
  x.name = "x";
  x.type = "input";
  x.device = "/device:IPU:0";
  x.rank = 2;
  x.line = 2;
  DebuggedOp y = x;
  y.name = "y";
  y.type = "activation";
  y.device = "/device:IPU:1";
  y.elementType = ElementType::float16;
  y.inputs = {0};
  y.line = 3;
  program.ops = {x, y};
  return program;
}

std::string encoded(std::size_t op, Step step, const HealthCounts &health) {
  TraceEncoder encoder(program(), op, program().ops[op].name);
  std::string bytes(encoder.bytes(step, health), '\0');
  encoder.encode(WallTime(1600000001.0), step, bytes.data());
  return bytes;
}

std::string byProtobuf(std::size_t op, Step step, const HealthCounts &health) {
  proto::DebugEvent event;
  event.set_wall_time(1600000001.0);
  event.set_step(step.value());
  auto *trace = event.mutable_graph_execution_trace();
  trace->set_tfdbg_context_id("1");
  trace->set_op_name(program().ops[op].name);
  trace->set_device_name(program().ops[op].device);
  trace->set_tensor_debug_mode(health.signs ? proto::FULL_HEALTH
                                            : proto::CONCISE_HEALTH);
  auto *tensor = trace->mutable_tensor_proto();
  tensor->set_dtype(proto::DT_INT64);
  tensor->mutable_tensor_shape()->add_dim()->set_size(health.signs ? 11 : 5);
  std::vector<std::uint64_t> values{op + 1};
  if (health.signs)
    for (const std::uint64_t value :
         {std::uint64_t(op + 1),
          std::uint64_t(op == 0 ? proto::DT_FLOAT : proto::DT_HALF),
          std::uint64_t(2)})
      values.push_back(value);
  for (const std::uint64_t value :
       {health.count, health.negInf, health.posInf, health.nan})
    values.push_back(value);
  if (health.signs)
    for (const std::uint64_t value :
         {health.signs->negative, health.signs->zero, health.signs->positive})
      values.push_back(value);
  for (const std::uint64_t value : values)
    tensor->add_int64_val(std::int64_t(value));
  return event.SerializeAsString();
}

TEST(DebugEvents, ATraceHasTheBytesOfTheFormat) {
  EXPECT_EQ(tests::toHex(encoded(0, Step(7), {300, 0, 2, 1, {}})),
            tests::toHex(tests::fromHex(
                "09 00 00 40 00 84 d7 d7 41 10 07 52 29 "
                "0a 01 31 12 01 78 20 03 "
                "2a 10 08 09 12 04 12 02 08 05 52 06 01 ac 02 00 02 01 "
                "32 0d 2f 64 65 76 69 63 65 3a 49 50 55 3a 30")));
}

TEST(DebugEvents, ATraceIsWhatProtobufWouldWrite) {
  const std::uint64_t many = std::numeric_limits<std::uint32_t>::max();
  for (const std::size_t op : {0, 1})
    for (const Step step :
         {Step(0), Step(1), Step(127), Step(128), Step(std::int64_t(1) << 40)})
      for (const HealthCounts &health :
           {HealthCounts{0, 0, 0, 0, {}}, HealthCounts{many, 1, 127, 128, {}},
            HealthCounts{many, 1, 127, 128, HealthCounts::Signs{0, 5, many}},
            HealthCounts{7, 0, 0, 0, HealthCounts::Signs{3, 2, 2}}})
        ASSERT_EQ(tests::toHex(encoded(op, step, health)),
                  tests::toHex(byProtobuf(op, step, health)));
}

TEST(DebugEvents, AnOpNamesItsInputsDeviceAndLine) {
  const std::vector<std::string> records = graphRecords(program(), WallTime(1));
  ASSERT_EQ(records.size(), 5u); // two devices, the graph, two ops
  proto::DebugEvent graph, op;
  ASSERT_TRUE(graph.ParseFromString(records[2]));
  EXPECT_EQ(graph.debugged_graph().graph_name(), "update");
  ASSERT_TRUE(op.ParseFromString(records[4]));
  const proto::GraphOpCreation &y = op.graph_op_creation();
  EXPECT_EQ(y.op_name(), "y");
  EXPECT_EQ(y.op_type(), "activation");
  EXPECT_EQ(y.graph_id(), graph.debugged_graph().graph_id());
  EXPECT_EQ(y.device_name(), "/device:IPU:1");
  EXPECT_THAT(y.input_names(), ElementsAre("x:0"));
  EXPECT_THAT(y.output_tensor_ids(), ElementsAre(2));
  proto::DebugEvent frame;
  ASSERT_TRUE(
      frame.ParseFromString(stackFrameRecords(program(), WallTime(1)).back()));
  EXPECT_THAT(y.code_location().stack_frame_ids(),
              ElementsAre(frame.stack_frame_with_id().id()));
  EXPECT_EQ(frame.stack_frame_with_id().file_line_col().line(), 3);
}

TEST(DebugEvents, IdsHaveNoneOfTheCharactersThatSplitTheReadersKeys) {
  std::vector<std::string> ids;
  for (const std::string &record : stackFrameRecords(program(), WallTime(1))) {
    proto::DebugEvent event;
    ASSERT_TRUE(event.ParseFromString(record));
    ids.push_back(event.stack_frame_with_id().id());
  }
  for (const std::string &record : graphRecords(program(), WallTime(1))) {
    proto::DebugEvent event;
    ASSERT_TRUE(event.ParseFromString(record));
    if (event.has_debugged_graph())
      ids.push_back(event.debugged_graph().graph_id());
  }
  EXPECT_EQ(ids.size(), 4u);
  for (const std::string &id : ids)
    EXPECT_EQ(id.find_first_of("_.,"), std::string::npos) << id;
}

TEST(DebugEvents, NamesOfOpsHaveNoColonAndDiffer) {
  DebuggedProgram program;
  for (const char *name : {"conv/kernel:0", "conv/kernel:0_grad", "conv/kernel",
                           "a:1", "a_1", "b:01", "bad\xff"}) {
    program.ops.emplace_back();
    program.ops.back().name = name;
  }
  EXPECT_THAT(opNames(program),
              ElementsAre("conv/kernel", "conv/kernel_grad", "conv/kernel_2",
                          "a_1", "a_1_2", "b_01", "bad\xef\xbf\xbd"));
}

TEST(DebugEvents, AnExecutionIsNamedAfterItsStepAndHasOneOutput) {
  proto::DebugEvent event;
  ASSERT_TRUE(event.ParseFromString(
      executionRecord(program(), WallTime(1), Step(37), {1000, 1, 2, 3, {}})));
  EXPECT_EQ(event.step(), 37);
  const proto::Execution &execution = event.execution();
  EXPECT_EQ(execution.op_type(), "__inference_update_37");
  ASSERT_EQ(execution.tensor_protos_size(), 1);
  EXPECT_EQ(execution.output_tensor_ids_size(), 1);
  EXPECT_EQ(execution.tensor_debug_mode(), proto::CONCISE_HEALTH);
  EXPECT_THAT(execution.tensor_protos(0).int64_val(),
              ElementsAre(3, 1000, 1, 2, 3));
}

} // namespace
} // namespace popscope::summary
