// Codelets that call functions of other archives.
#include "poplar/codelet/codelet_library.hpp"
#include "scoped_directory.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using testing::HasSubstr;

namespace {

// Calls a C++ function with arguments in registers and on the stack, and a C
// function by its address.
const char *const kCaller = R"(
#include <poplar/Vertex.hpp>
namespace tools {
float weigh(float a, double b, int c, const float *d, long e, long f, long g,
            long h, long i);
}
extern "C" float shift(float x);
struct Caller : poplar::Vertex {
  poplar::InOut<float> x;
  bool compute() {
    float four = 4;
    float (*volatile function)(float) = shift;
    *x = tools::weigh(*x, 2, 3, &four, 5, 6, 7, 8, 9) + function(*x);
    return true;
  }
};
)";

const char *const kWeigh = R"(
namespace tools {
float weigh(float a, double b, int c, const float *d, long e, long f, long g,
            long h, long i) {
  return a + 10 * float(b) + 100 * c + 1000 * *d + e + f + g + h + 10000 * i;
}
}
)";

std::string shiftBy(int amount) {
  return "extern \"C\" float shift(float x) { return x + " +
         std::to_string(amount) + "; }";
}

class ArchiveCalls : public testing::Test {
protected:
  std::string archive(const std::string &name, const std::string &source) {
    std::ostringstream output;
    const std::string bytes =
        ipumodel::CodeletLibrary::compileSource(
            "#pragma clang diagnostic ignored \"-Weverything\"\n" + source,
            "-Wall -Wextra -Werror", output)
            ->archive();
    return files_.write(name, bytes);
  }

  struct Program {
    Graph graph{Target::createCPUTarget()};
    Sequence sequence;
  };
  Program makeProgram(const std::vector<std::string> &archives) {
    Program program;
    program.graph.addCodelets(archives);
    const Tensor x = program.graph.addVariable(FLOAT, {}, "x");
    program.graph.setInitialValue(x, 0.5f);
    const ComputeSet cs = program.graph.addComputeSet("cs");
    const VertexRef v = program.graph.addVertex(cs, "Caller", {{"x", x}});
    program.graph.setTileMapping(x, 0);
    program.graph.setTileMapping(v, 0);
    program.graph.createHostRead("x", x);
    program.sequence.add(Execute(cs));
    return program;
  }

  static float run(Engine &engine) {
    engine.load(Device::createCPUDevice());
    engine.run(0);
    float x = 0;
    engine.readTensor("x", &x, &x + 1);
    return x;
  }

  ScopedDirectory files_;
  const std::string caller_ = archive("caller.gp", kCaller);
  const std::string weigh_ = archive("weigh.gp", kWeigh);
  const std::string shift_ = archive("shift.gp", shiftBy(1));
};

constexpr float kWeighed = 0.5f + 20 + 300 + 4000 + 5 + 6 + 7 + 8 + 90000;

TEST_F(ArchiveCalls, AreConnectedInAnyOrderOfTheArchives) {
  for (const std::vector<std::string> &order :
       {std::vector<std::string>{caller_, weigh_, shift_},
        std::vector<std::string>{shift_, caller_, weigh_}}) {
    Program program = makeProgram(order);
    Engine engine(program.graph, program.sequence);
    EXPECT_EQ(run(engine), kWeighed + 1.5f);
  }
}

TEST_F(ArchiveCalls, OfEachGraphGoToItsOwnArchives) {
  const std::string other = archive("other.gp", shiftBy(100));
  Program one = makeProgram({caller_, weigh_, shift_});
  Program two = makeProgram({caller_, weigh_, other});
  Engine first(one.graph, one.sequence), second(two.graph, two.sequence);
  EXPECT_EQ(run(second), kWeighed + 100.5f);
  EXPECT_EQ(run(first), kWeighed + 1.5f);
}

TEST_F(ArchiveCalls, SurviveStoringAnExecutable) {
  std::stringstream file;
  {
    Program program = makeProgram({caller_, weigh_, shift_});
    compileGraph(program.graph, {program.sequence}).serialize(file);
  }
  Engine engine(Executable::deserialize(file));
  EXPECT_EQ(run(engine), kWeighed + 1.5f);
}

TEST_F(ArchiveCalls, FunctionThatNoArchiveHasIsNamed) {
  Program program = makeProgram({caller_, shift_});
  try {
    Engine engine(program.graph, program.sequence);
    FAIL();
  } catch (const link_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("tools::weigh(float, double, int"));
  }
}

TEST_F(ArchiveCalls, VariableIsNotTakenForAFunction) {
  Program program = makeProgram({caller_, weigh_, archive("variable.gp", R"(
extern "C" { float shift = 3; }
)")});
  EXPECT_THROW(Engine(program.graph, program.sequence), link_error);
}

TEST_F(ArchiveCalls, SameArchiveFromTwoFilesIsAddedOnce) {
  const std::string copy = archive("copy.gp", kCaller);
  Graph graph{Target::createCPUTarget()};
  EXPECT_TRUE(graph.addCodelets(caller_));
  EXPECT_FALSE(graph.addCodelets(copy));
}

} // namespace
