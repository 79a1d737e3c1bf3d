// float2, half4 and the IPU's functions in codelets, and that CPUs with and
// without AVX-512, AVX2 and conversions of halves give the same bits.
#include "compiled.hpp"
#include "popc_command.hpp"
#include "poplar/codelet/gp_archive.hpp"
#include "poplar/values/half.hpp"
#include "vertex_object.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <random>

namespace {

using ipumodel::CodeletLibrary;
using ipumodel::floatToHalf;
using ipumodel::halfToFloat;

// As this machine runs it, and as machines with narrower vectors do.
std::vector<const CodeletLibrary *> libraries() {
  static const auto narrower = [] {
    auto archive = ipumodel::parseGpArchive(compiled("vectors.cpp").archive());
    std::vector<CodeletLibrary::Pointer> all;
    for (auto *objects : {&archive.avx512Objects, &archive.avx2Objects}) {
      objects->clear();
      all.push_back(CodeletLibrary::loadArchive(serialise(archive), "narrow"));
    }
    return all;
  }();
  return {&compiled("vectors.cpp"), narrower[0].get(), narrower[1].get()};
}

std::vector<std::uint16_t> randomHalves(std::mt19937 &generator) {
  std::uniform_real_distribution<float> values(0.1f, 9.0f);
  std::vector<std::uint16_t> halves(24);
  for (auto &half : halves)
    half = floatToHalf(values(generator));
  return halves;
}

TEST(VectorTypes, VectorsOfHalvesRoundEveryOperationByElement) {
  std::mt19937 generator(22);
  auto a = randomHalves(generator), b = randomHalves(generator),
       c = randomHalves(generator);
  std::vector<std::uint16_t> expected;
  const auto rounded = [](float x) { return halfToFloat(floatToHalf(x)); };
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float scaled = rounded(halfToFloat(a[i]) / 16);
    const float sum = rounded(scaled + halfToFloat(b[i]));
    expected.push_back(
        floatToHalf(rounded(sum / halfToFloat(c[i])) - halfToFloat(b[i])));
  }
  for (const auto *library : libraries())
    for (const std::string type : {"half2", "half4", "half8"}) {
      VertexObject vertex(*library->find("Blend<" + type + ",half>"));
      std::vector<std::uint16_t> out(a.size());
      vertex.setVector("a", a);
      vertex.setVector("b", b);
      vertex.setVector("c", c);
      vertex.setVector("out", out);
      EXPECT_TRUE(vertex.run());
      EXPECT_EQ(out, expected) << type;
    }
}

TEST(VectorTypes, VectorsOfFloatsComputeEveryElement) {
  for (const auto *library : libraries())
    for (const std::string type : {"float2", "float4"}) {
      VertexObject vertex(*library->find("Blend<" + type + ", float>"));
      std::vector<float> a{16, 32, -16, 8}, b{1, 2, 3, 4}, c{2, 4, 8, 3},
          out(4);
      vertex.setVector("a", a);
      vertex.setVector("b", b);
      vertex.setVector("c", c);
      vertex.setVector("out", out);
      EXPECT_TRUE(vertex.run());
      EXPECT_THAT(out, testing::ElementsAre(0, -1, -2.75f, -2.5f));
    }
}

TEST(VectorTypes, ConversionsOfHalvesHaveTheSameBitsOnEveryMachine) {
  std::vector<std::uint16_t> halves(1 << 16);
  for (std::size_t i = 0; i < halves.size(); ++i)
    halves[i] = std::uint16_t(i);
  std::vector<float> floats;
  for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 4093) {
    const auto pattern = std::uint32_t(bits);
    floats.emplace_back();
    std::memcpy(&floats.back(), &pattern, sizeof pattern);
  }
  std::vector<std::vector<std::uint32_t>> widened;
  std::vector<std::vector<std::uint16_t>> rounded;
  for (const auto *library : libraries()) {
    VertexObject vertex(*library->find("Conversions"));
    widened.emplace_back(halves.size());
    rounded.emplace_back(floats.size());
    vertex.setVector("halves", halves);
    vertex.setVector("floats", floats);
    vertex.setVector("widened", widened.back());
    vertex.setVector("rounded", rounded.back());
    EXPECT_TRUE(vertex.run());
  }
  EXPECT_EQ(widened[0], widened[1]);
  EXPECT_EQ(rounded[0], rounded[1]);
  for (std::size_t i = 0; i < floats.size(); ++i)
    if (!std::isnan(floats[i])) {
      ASSERT_EQ(rounded[0][i], floatToHalf(floats[i])) << floats[i];
    }
}

TEST(VectorTypes, FunctionsOfTheIpuComputeWhatTheirNamesSay) {
  for (const auto *library : libraries()) {
    VertexObject vertex(*library->find("Functions"));
    std::vector<float> out(37);
    vertex.setVector("out", out);
    EXPECT_TRUE(vertex.run());
    EXPECT_THAT(out, testing::ElementsAre(
                         1.5f, 0.25f, 1.0f, 4.5f, 1.0f, -1.0f, 1.0f, 0.5f,
                         1.25f, 0.5f, 2.0f, 0.5f, 0.5f, 1.5f, 0.0f, 0.0f, -1.0f,
                         1.0f, -1.0f, 2.0f, 3.0f, 1.0f, 0.5f, 11.0f, 4.5f,
                         -1.0f, -2.0f, 4.0f, 2048.0f, 1.5f, 1.5f, 2.0f, 1.0f,
                         1.0f, 1.0f, 1.0f, 2048.0f));
  }
}

class DeviceHeaders : public PopcCommand {};

TEST_F(DeviceHeaders, OfInstructionsBringTheDevicesTypesToo) {
  for (const std::string header :
       {"ipu_builtins.h", "ipu_memory_intrinsics", "ipu_vector_math"}) {
    const auto result =
        popc({"-", "-o", output_},
             "#include <" + header + ">\n" +
                 vertexSource("V", "Input<Vector<float>> x; Output<float> y;",
                              "const rptsize_t count = x.size() / 2;\n"
                              "float2 sum = {0, 0};\n"
                              "for (rptsize_t i = 0; i < count; ++i)\n"
                              "  sum += float2{x[2 * i], x[2 * i + 1]};\n"
                              "*y = sum[0] + sum[1];"));
    EXPECT_EQ(result.exitCode, 0) << result.errors;
  }
}

TEST(VectorTypes, NameTheVerticesTheyInstantiate) {
  for (const auto &[name, size] :
       {std::pair("Named<int4>", 16u), {"Named<uchar4>", 4u}}) {
    VertexObject vertex(vertexType("vectors.cpp", name));
    vertex.set("n", size);
    EXPECT_TRUE(vertex.run()) << name;
  }
}

} // namespace
