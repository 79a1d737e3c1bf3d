#include "model.hpp"

#include <poplar/MetadataCreation.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using enginetest::iota;
using enginetest::Model;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(HostAccess, VariablesStartAtTheirInitialValuesOrZero) {
  Model m;
  const Tensor a = m.add(FLOAT, {4}, "a");
  const Tensor b = m.add(INT, {2}, "b");
  m.graph.setInitialValue(a.slice(1, 3), ArrayRef<float>({5, 6}));
  m.graph.setInitialValue(a[3], 7);
  m.load(Copy(b, b));
  EXPECT_THAT(m.read<float>("a", 4), ElementsAre(0, 5, 6, 7));
  m.write("a", iota<float>(4));
  m.engine->load(m.device);
  EXPECT_THAT(m.read<float>("a", 4), ElementsAre(0, 5, 6, 7));
}

TEST(HostAccess, ConstantsKeepTheirValues) {
  Model m;
  const Tensor a = m.add(FLOAT, {3}, "a");
  const Tensor c = m.graph.addConstant<float>(FLOAT, {3}, {1.0, 1.5, 2.0}, "c");
  m.graph.setTileMapping(c, 0);
  m.load(Copy(c.reverse(0), a));
  m.engine->run();
  EXPECT_THAT(m.read<float>("a", 3), ElementsAre(2, 1.5f, 1));
}

TEST(HostAccess, ARangeThatIsTooSmallIsRefusedWithBothSizes) {
  Model m;
  const Tensor a = m.add(FLOAT, {4}, "a");
  m.load(Copy(a, a));
  std::vector<float> values(3);
  try {
    m.engine->readTensor("a", values.data(), values.data() + 3);
    FAIL() << "read";
  } catch (const poplar_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("'a'"));
    EXPECT_THAT(e.what(), HasSubstr("12"));
    EXPECT_THAT(e.what(), HasSubstr("16"));
  }
  EXPECT_THROW(m.engine->writeTensor("a", values.data(), values.data() + 3),
               poplar_error);
}

TEST(HostAccess, ALargerRangeIsUsedFromItsStart) {
  Model m;
  const Tensor a = m.add(INT, {2}, "a");
  m.load(Copy(a.reverse(0).slice(0, 1), a.slice(0, 1)));
  std::vector<int> values{1, 2, 3};
  m.engine->writeTensor("a", values.data(), values.data() + 3);
  m.engine->run();
  m.engine->readTensor("a", values.data(), values.data() + 3);
  EXPECT_THAT(values, ElementsAre(2, 2, 3));
}

TEST(HostAccess, QuartersAreWrittenAndReadWithTheirMetadata) {
  const QuarterMetadata written(QuarterMetadata::Format::F152, -5);
  Model m(4, 2, 2); // two replicas
  const Tensor q = m.add(QUARTER, {3}, "q");
  m.add(FLOAT, {3}, "f");
  const Tensor fixed = m.graph.addVariable(
      QUARTER,
      createConstantMetadataTensor(m.graph, QuarterMetadata::Format::F143, 7),
      {3}, "fixed");
  m.graph.setTileMapping(fixed, 0);
  m.graph.createHostWrite("fixed", fixed);
  m.graph.createHostRead("fixed", fixed);
  m.graph.createHostRead("metadata", q.getMetadata());
  m.load(Copy(q, q));

  std::vector<std::uint8_t> values(6), bits(2);
  const auto read = [&](const char *handle) {
    QuarterMetadata metadata;
    m.engine->readTensor(handle, metadata, values.data(), values.data() + 6);
    return metadata;
  };
  const auto write = [&](const char *handle) {
    m.engine->writeTensor(handle, written, values.data(), values.data() + 6);
  };
  EXPECT_EQ(read("q"), QuarterMetadata(QuarterMetadata::Format::F143, 0));
  values = {1, 2, 3, 4, 5, 6};
  write("q");
  values.assign(6, 0);
  EXPECT_EQ(read("q"), written);
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 4, 5, 6));
  m.engine->readTensor("metadata", bits.data(), bits.data() + 2);
  EXPECT_THAT(bits, ElementsAre(written.getBinary(), written.getBinary()));

  EXPECT_EQ(read("fixed"), QuarterMetadata(QuarterMetadata::Format::F143, 7));
  EXPECT_THROW(write("fixed"), tensor_metadata_error);
  EXPECT_THROW(write("f"), tensor_metadata_error);
  EXPECT_THROW(read("f"), tensor_metadata_error);
  EXPECT_THROW(read("nothing"), stream_connection_error);
}

TEST(HostAccess, UnknownHandlesAreNamed) {
  Model m;
  const Tensor a = m.add(FLOAT, {4}, "a");
  m.load(Copy(a, a));
  float value = 0;
  try {
    m.engine->readTensor("b", &value, &value + 1);
    FAIL() << "read";
  } catch (const stream_connection_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("'b'"));
  }
}

TEST(HostAccess, NothingRunsBeforeLoad) {
  Model m;
  const Tensor a = m.add(FLOAT, {1}, "a");
  Engine engine(m.graph, Copy(a, a));
  float value = 0;
  EXPECT_THROW(engine.run(), poplar_error);
  EXPECT_THROW(engine.readTensor("a", &value, &value + 1), poplar_error);
  engine.load(m.device);
  engine.run();
}

TEST(HostAccess, ProgramsOutOfRangeAreRefused) {
  Model m;
  const Tensor a = m.add(FLOAT, {1}, "a");
  m.load({Copy(a, a), Copy(a, a)});
  m.engine->run(1);
  EXPECT_THROW(m.engine->run(2), poplar_error);
}

TEST(HostAccess, ADeviceOfAnotherSizeIsRefused) {
  Model m(4);
  const Tensor a = m.add(FLOAT, {1}, "a");
  Engine engine(m.graph, Copy(a, a));
  const Device other = enginetest::modelDevice(8);
  EXPECT_THROW(engine.load(other), poplar_error);
}

TEST(HostAccess, StreamsAreListedWithTheirDirection) {
  Model m;
  const Tensor a = m.add(FLOAT, {1}, "a");
  m.graph.addHostToDeviceFIFO("in", FLOAT, 1);
  m.graph.addDeviceToHostFIFO("out", FLOAT, 1);
  m.load(Copy(a, a));
  EXPECT_THAT(m.engine->listStreams(),
              testing::UnorderedElementsAre("a+", "a-", "in+", "out-"));
}

TEST(HostAccess, TheScaleOfQuartersMayBeComputedOnTheDevice) {
  Model m;
  const Tensor scale = m.add(INT, {1}, "scale");
  Sequence prog;
  const Tensor metadata = createVariableMetadataTensor(
      m.graph, QuarterMetadata::Format::F152, scale[0], prog, "computed");
  EXPECT_EQ(metadata.elementType(), QUARTER_METADATA);
  m.graph.createHostRead("metadata", metadata);
  m.load(prog);
  for (const int value : {-32, -1, 0, 31}) {
    m.write("scale", std::vector<int>{value});
    m.engine->run();
    std::uint8_t bits = 0;
    m.engine->readTensor("metadata", &bits, &bits + 1);
    EXPECT_EQ(
        bits,
        QuarterMetadata(QuarterMetadata::Format::F152, value).getBinary());
  }
  m.write("scale", std::vector<int>{32});
  EXPECT_THROW(m.engine->run(), poplar::runtime_error);
  EXPECT_THROW(createVariableMetadataTensor(m.graph,
                                            QuarterMetadata::Format::F143,
                                            m.add(FLOAT, {}, "f"), prog),
               tensor_metadata_error);
  EXPECT_THROW(createVariableMetadataTensor(m.graph,
                                            QuarterMetadata::Format::F143,
                                            m.add(INT, {2}, "two"), prog),
               tensor_metadata_error);
}

class RemoteBufferOffsets : public testing::TestWithParam<Type> {};

INSTANTIATE_TEST_SUITE_P(RemoteBuffer, RemoteBufferOffsets,
                         testing::Values(INT, UNSIGNED_INT),
                         [](const auto &info) {
                           return info.param == INT ? "Int" : "UnsignedInt";
                         });

TEST_P(RemoteBufferOffsets, ChooseRows) {
  Model m;
  const Tensor t = m.add(INT, {2, 3}, "t");
  const Tensor offsets = m.add(GetParam(), {2}, "offsets");
  const RemoteBuffer buffer = m.graph.addRemoteBuffer("remote", INT, 3, 4);
  m.load(
      {Copy(t, buffer, offsets), Copy(buffer, t, offsets), Copy(buffer, t[0])});
  m.write("t", iota<int>(6));
  m.write("offsets", std::vector<unsigned>{3, 1});
  m.engine->run(0);
  std::vector<int> row(3);
  m.engine->copyFromRemoteBuffer("remote", row.data(), 3);
  EXPECT_THAT(row, ElementsAre(0, 1, 2));
  m.engine->copyFromRemoteBuffer("remote", row.data(), 1);
  EXPECT_THAT(row, ElementsAre(3, 4, 5));
  row = {7, 8, 9};
  m.engine->copyToRemoteBuffer(row.data(), "remote", 0);
  m.write("offsets", std::vector<unsigned>{0, 3});
  m.engine->run(1);
  EXPECT_THAT(m.read<int>("t", 6), ElementsAre(7, 8, 9, 0, 1, 2));
  m.write("t", std::vector<int>(6));
  m.engine->run(2);
  EXPECT_THAT(m.read<int>("t", 6), ElementsAre(7, 8, 9, 0, 0, 0));
}

TEST_P(RemoteBufferOffsets, OutOfRangeEndTheRun) {
  Model m;
  const Tensor t = m.add(INT, {3}, "t");
  const Tensor offset = m.add(GetParam(), {1}, "offset");
  const RemoteBuffer buffer = m.graph.addRemoteBuffer("remote", INT, 3, 2);
  m.load(Copy(buffer, t, offset));
  m.write("offset", std::vector<unsigned>{2});
  EXPECT_THROW(m.engine->run(), poplar::runtime_error);
  m.write("offset", std::vector<int>{-1});
  EXPECT_THROW(m.engine->run(), poplar::runtime_error);
  std::vector<int> row(3);
  EXPECT_THROW(m.engine->copyFromRemoteBuffer("remote", row.data(), 2),
               poplar_error);
}

TEST(HostFunction, IsCalledWithItsTensors) {
  Model m;
  const Tensor a = m.add(INT, {2, 2}, "a");
  const Tensor sum = m.add(INT, {1}, "sum");
  const HostFunction f =
      m.graph.addHostFunction("sum", {Graph::HostFunctionArgument(INT, 4)},
                              {Graph::HostFunctionArgument(INT, 1)});
  m.load(Call(f, {a.transpose()}, {sum}));
  EXPECT_THROW(m.engine->run(), stream_connection_error);
  std::vector<int> seen;
  m.engine->connectHostFunction(
      "sum", 0, [&](ArrayRef<const void *> in, ArrayRef<void *> out) {
        const int *values = static_cast<const int *>(in[0]);
        seen.assign(values, values + 4);
        *static_cast<int *>(out[0]) =
            values[0] + values[1] + values[2] + values[3];
      });
  m.write("a", iota<int>(4));
  m.engine->run();
  EXPECT_THAT(seen, ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(m.read<int>("sum", 1), ElementsAre(6));
}
