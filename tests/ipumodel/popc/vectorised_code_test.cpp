// Vectors in sources, and those that the compiler makes.
#include "popc_command.hpp"
#include "poplar/codelet/codelet_library.hpp"
#include "poplar/codelet/cxx_compiler.hpp"
#include "poplar/codelet/gp_archive.hpp"
#include "tests/support/scoped_env.hpp"
#include "vertex_object.hpp"

#include <algorithm>
#include <gmock/gmock.h>

using ipumodel::CodeletLibrary;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class VectorisedCode : public PopcCommand {};

// Two floats at a time, and four halves as their patterns.
const char *const kVectors = R"(
#include <poplar/Vertex.hpp>
typedef float float2 __attribute__((ext_vector_type(2)));
typedef unsigned short half4 __attribute__((__ext_vector_type__(4)));
struct Vectors : poplar::Vertex {
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  poplar::InOut<poplar::Vector<half>> halves;
  bool compute() {
    static_assert(sizeof(float2) == 8 && sizeof(half4) == 8, "a vector");
    for (unsigned i = 0; i < in.size(); i += 2) {
      const float2 pair = *reinterpret_cast<const float2 *>(&in[i]);
      *reinterpret_cast<float2 *>(&out[i]) = pair.yx * float2{2.0f, 3.0f};
    }
    half4 &patterns = *reinterpret_cast<half4 *>(&halves[0]);
    patterns = patterns.wzyx ^ (unsigned short)0x8000;
    return true;
  }
};
)";

void expectVectors(const CodeletLibrary &library) {
  VertexObject vertex(*library.find("Vectors"));
  std::vector<float> in{1, 2, 3, 4}, out(4);
  std::vector<std::uint16_t> halves{0x3c00, 0x4000, 0x4200, 0x4400};
  vertex.setVector("in", in);
  vertex.setVector("out", out);
  vertex.setVector("halves", halves);
  EXPECT_TRUE(vertex.run());
  EXPECT_THAT(out, ElementsAre(4, 3, 8, 9));
  EXPECT_THAT(halves, ElementsAre(0xc400, 0xc200, 0xc000, 0xbc00));
}

TEST_F(VectorisedCode, VectorTypesComputeEveryElement) {
  const auto result = popc({"-", "-Wall", "-Wextra", "-o", output_}, kVectors);
  EXPECT_EQ(result.errors, "");
  ASSERT_EQ(result.exitCode, 0);
  expectVectors(*CodeletLibrary::loadFile(output_));
}

TEST_F(VectorisedCode, MachinesWithoutWideVectorsGetTheSameResults) {
  ASSERT_EQ(popc({"-", "-o", output_}, kVectors).exitCode, 0);
  auto archive = ipumodel::parseGpArchive(ipumodel::readFile(output_));
  for (auto *objects : {&archive.avx512Objects, &archive.avx2Objects}) {
    objects->clear();
    expectVectors(*CodeletLibrary::loadArchive(serialise(archive), "narrow"));
  }
}

// <random> of libstdc++ includes vector intrinsics where __SSE3__ is defined.
TEST_F(VectorisedCode, AllVariantsAreTheSameProgram) {
  const auto result =
      popc({"-", "-o", output_},
           "#include <random>\n" + vertexSource("V", "Output<float> out;", R"(
#if defined(__SSE3__) || defined(__AVX__) || defined(__AVX2__) || defined(__F16C__) || defined(__AVX512F__)
#error not the program that has its includes inserted
#endif
      std::minstd_rand generator;
      *out = std::uniform_real_distribution<float>(1, 2)(generator);)"));
  EXPECT_EQ(result.exitCode, 0) << result.errors;
}

// Stores to elements that are no floats could change any field of the vertex,
// as far as a compiler knows that does not see a copy.
TEST_F(VectorisedCode, LoopsOverAllKindsOfElementsAreVectorised) {
  for (const std::string type : {"half", "unsigned char", "int"}) {
    const auto source = files_.write(
        "loop.cpp",
        vertexSource("V",
                     "Input<Vector<" + type + ">> x; InOut<Vector<" + type +
                         ">> y; " + type + " a;",
                     "for (unsigned i = 0; i < y.size(); ++i)\n"
                     "  y[i] = a * x[i] + y[i];\n"));
    const auto result = popc({source, "-Rpass=loop-vectorize", "-o", output_});
    EXPECT_THAT(result.errors, HasSubstr("vectorized loop")) << type;
  }
}

// The loop over vertices, each of which has one element.
TEST_F(VectorisedCode, LoopsOverVerticesAreVectorised) {
  for (const std::string type : {"half", "unsigned char", "int", "float"}) {
    const auto source = files_.write(
        "vertices.cpp", vertexSource("V",
                                     "Input<" + type + "> x; InOut<" + type +
                                         "> y; " + type + " a;",
                                     "*y = a * *x + *y;"));
    const auto result = popc({source, "-Rpass=loop-vectorize", "-o", output_});
    EXPECT_THAT(result.errors, HasSubstr("vectorized loop")) << type;
  }
}

TEST_F(VectorisedCode, AnyClangCompiles) {
  const auto clang = files_.writeProgram(
      "cxx", "#!/bin/sh\nexec '" + ipumodel::findCxxCompiler() + "' \"$@\"\n");
  const ScopedEnv compiler("POPC_CXX", clang);
  EXPECT_EQ(popc({"-", "-o", output_}, kVectors).errors, "");
  expectVectors(*CodeletLibrary::loadFile(output_));
}

TEST_F(VectorisedCode, OtherCompilersAreRefusedInOneLine) {
  const auto gcc =
      files_.writeProgram("g++", "#!/bin/sh\necho 'g++ (Debian) 12.2.0'\n");
  const struct {
    std::string compiler, message;
  } cases[] = {
      {gcc, "popc: error: POPC_CXX is '" + gcc + "', which is not clang"},
      {files_.path("none"), "popc: error: POPC_CXX is '" + files_.path("none") +
                                "', which cannot be run"},
  };
  for (const auto &[compiler, message] : cases) {
    const ScopedEnv chosen("POPC_CXX", compiler);
    const std::string error = errorFor(kVectors);
    EXPECT_THAT(error, StartsWith(message));
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  }
}

} // namespace
