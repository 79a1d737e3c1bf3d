// popc as a command.
#include "popc_command.hpp"
#include "poplar/codelet/codelet_library.hpp"
#include "poplar/codelet/cxx_compiler.hpp"
#include "poplar/codelet/gp_archive.hpp"
#include "tests/support/scoped_env.hpp"
#include "vertex_object.hpp"

#include <gmock/gmock.h>

using ipumodel::CodeletLibrary;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

namespace {

TEST_F(PopcCommand, FieldsOfOtherKindsAreRefusedByClassFieldAndType) {
  const struct {
    const char *field, *type;
  } cases[] = {
      {"float *bad;", "float *"},
      {"int bad[4];", "int[4]"},
      {"struct S { int x; }; S bad;", "ns::Bad::S"},
      {"const float &bad;", "const float &"},
      {"std::string bad;", "std::string"},
      {"enum E { A }; E bad;", "ns::Bad::E"},
      {"Input<float *> bad;", "Input<float *>"},
      {"Input<Vector<Vector<float>>> bad;", "Input<Vector<Vector<float>>>"},
      {"Vector<Vector<Vector<int>>> bad;", "Vector<Vector<Vector<int>>>"},
      {"Vector<Input<VectorList<int>>> bad;", "Vector<Input<VectorList<int>>>"},
      {"Input<Input<int>> bad;", "Input<Input<int>>"},
  };
  for (const auto &[field, type] : cases) {
    const std::string error = errorFor(vertexSource("Bad", field));
    EXPECT_THAT(error, StartsWith(files_.path("source.cpp") + ":6:"));
    EXPECT_THAT(error, HasSubstr(std::string("error: vertex field "
                                             "'ns::Bad.bad' has type '") +
                                 type + "'; a field is "));
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1) << error;
  }
}

TEST_F(PopcCommand, TemplateInstantiationsAreNamedWithTheirArguments) {
  EXPECT_THAT(
      errorFor("#include <poplar/Vertex.hpp>\n"
               "template <typename T, int N> struct V : poplar::Vertex {\n"
               "  T *bad;\n  void compute() {}\n};\n"
               "template struct V<unsigned, 2>;\n"),
      HasSubstr("source.cpp:3:6: error: vertex field 'V<unsigned int,2>.bad' "
                "has type 'unsigned int *'"));
}

TEST_F(PopcCommand, OtherImpossibleVerticesAreRefused) {
  EXPECT_THAT(errorFor(vertexSource("Bits", "unsigned bad : 3;")),
              HasSubstr("'ns::Bits.bad' is a bit-field"));
  EXPECT_THAT(errorFor(vertexSource("Virtual", "virtual void f() {}")),
              HasSubstr("'ns::Virtual' has virtual functions"));
  EXPECT_THAT(errorFor("#include <poplar/Vertex.hpp>\n"
                       "struct B : poplar::Vertex { int n; };\n"
                       "struct D : B { int n; void compute() {} };\n"),
              HasSubstr("'D.n' hides an inherited field"));
}

TEST_F(PopcCommand, CompileErrorsAreTheCompilersOwn) {
  // In a declaration, in a body, in a header, through a macro.
  EXPECT_THAT(errorFor("int a;\nUnknown b;\n"),
              HasSubstr("source.cpp:2:1: error: "));
  EXPECT_THAT(errorFor(vertexSource("V", "int n;", "n.x = 1;")),
              HasSubstr("source.cpp:7:19: error: "));
  const auto header = files_.write("wrong.hpp", "\n\nint f() { return no; }\n");
  EXPECT_THAT(errorFor("#include \"wrong.hpp\"\n"),
              HasSubstr("wrong.hpp:3:18: error: "));
  EXPECT_THAT(errorFor("#define BAD oops\nint f() {\n  return BAD;\n}\n"),
              HasSubstr("source.cpp:3:10: "));
  EXPECT_THAT(errorFor("namespace open {\n"), HasSubstr("source.cpp:"));
  EXPECT_THAT(errorFor("#include <no_such_header>\n"),
              HasSubstr("source.cpp:1:10: fatal error: "));
}

TEST_F(PopcCommand, UsageErrorsAreOneLine) {
  const auto source = files_.write("source.cpp", "int x;\n");
  const struct {
    std::vector<std::string> arguments;
    const char *message;
  } cases[] = {
      {{}, "no input files"},
      {{source, "-o"}, "-o needs a value"},
      {{source, "--target", "gpu"}, "unknown target 'gpu'"},
      {{files_.path("none.cpp")}, "cannot open"},
      {{source, "kernel.S"}, "'kernel.S' is code for the IPU"},
      {{"notes.txt"}, "'notes.txt' is of no known kind"},
      {{files_.write("bad.gp", "text"), source},
       "bad.gp': it is not an archive"},
      {{source, "-E"}, "-E is not supported"},
      {{source, "-o", files_.path("no/dir.gp")}, "cannot write"},
  };
  for (const auto &[arguments, message] : cases) {
    const auto result = popc(arguments);
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_THAT(result.errors, StartsWith("popc: error: "));
    EXPECT_THAT(result.errors, HasSubstr(message));
    EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1);
  }
}

TEST_F(PopcCommand, VertexWithoutComputeIsLeftOutWithAWarning) {
  const auto source = files_.write(
      "source.cpp", "#include <poplar/Vertex.hpp>\n"
                    "struct Base : poplar::Vertex { int n; };\n"
                    "struct V : Base { bool compute() { return true; } };\n"
                    "struct Forgot : poplar::Vertex {};\n");
  const auto result = popc({source, "-o", output_});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.errors, HasSubstr("source.cpp:4:8: warning: class "
                                       "'Forgot' derives from a vertex class"));
  EXPECT_THAT(result.errors, Not(HasSubstr("'Base'")));
  EXPECT_EQ(CodeletLibrary::loadFile(output_)->vertexTypes().size(), 1u);
}

TEST_F(PopcCommand, SeveralInputsBecomeOneArchive) {
  files_.write("shared.hpp",
               vertexSource("Shared", "Output<int> out;", "out = 1;"));
  const auto first = files_.write(
      "first.cpp", "#include \"shared.hpp\"\nextern \"C\" int fromC();\n"
                   "int fromSecond();\nstruct First : Vertex { Output<int> out;"
                   "void compute() { out = fromC() + fromSecond(); } };\n");
  const auto second =
      files_.write("second.cpp", "#include \"shared.hpp\"\n"
                                 "int fromSecond() { return 2; }\n" +
                                     vertexSource("Second", "").substr(29));
  const auto c = files_.write("third.c", "int fromC(void) { return 40; }\n");
  const auto other = files_.path("other.gp");
  EXPECT_EQ(
      popc({files_.write("other.cpp", vertexSource("Other", "")), "-o", other})
          .exitCode,
      0);
  const auto result = popc({first, second, c, other, other, "-o", output_});
  EXPECT_EQ(result.errors, "");
  const auto library = CodeletLibrary::loadFile(output_);
  std::vector<std::string> names;
  for (const auto *type : library->vertexTypes())
    names.emplace_back(type->name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("ns::Shared", "First",
                                                   "ns::Second", "ns::Other"));
  VertexObject vertex(*library->find("First"));
  int out = 0;
  vertex.set("out", &out);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(out, 42);
}

TEST_F(PopcCommand, FilesWithoutVerticesMakeAnArchive) {
  const auto c = files_.write("only.c", "int f(void) { return 1; }\n");
  EXPECT_EQ(popc({c, "-o", output_}).exitCode, 0);
  EXPECT_TRUE(CodeletLibrary::loadFile(output_)->vertexTypes().empty());
}

TEST_F(PopcCommand, EqualInputsGiveEqualBytes) {
  const auto source = files_.write("source.cpp", vertexSource("V", "int n;"));
  for (const char *flag : {"-O2", "-g"}) {
    ASSERT_EQ(popc({source, flag, "-o", output_}).exitCode, 0);
    const auto once = ipumodel::readFile(output_);
    ASSERT_EQ(popc({source, flag, "-o", output_}).exitCode, 0);
    EXPECT_EQ(ipumodel::readFile(output_), once) << flag;
  }
}

TEST_F(PopcCommand, CompilerFlagsReachTheCompiler) {
  std::filesystem::create_directory(files_.path("include"));
  files_.write("include/value.hpp", "constexpr int value = OTHER;\n");
  const auto source = files_.write(
      "source.cpp",
      "#include <value.hpp>\n#ifdef GONE\n#error -U\n#endif\n" +
          vertexSource("V", "Output<int> out; int unused;",
                       "int unusedToo; static_assert(__cplusplus == 201402L); "
                       "out = value;"));
  const std::vector<std::string> arguments{source,
                                           "-I",
                                           files_.path("include"),
                                           "-DOTHER=5",
                                           "-D",
                                           "GONE",
                                           "-UGONE",
                                           "-O2",
                                           "-g",
                                           "-std=c++14",
                                           "-Wall",
                                           "-fno-exceptions",
                                           "-ffast-math",
                                           "-MD",
                                           "-MF",
                                           files_.path("rule.d"),
                                           "-o" + output_,
                                           "--target=cpu,ipu2"};
  const auto result = popc(arguments);
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  // The quotes around the name depend on the locale.
  EXPECT_THAT(result.errors, HasSubstr("warning: unused variable"));
  EXPECT_THAT(result.errors, HasSubstr("unusedToo"));
  EXPECT_THAT(ipumodel::readFile(files_.path("rule.d")),
              HasSubstr("include/value.hpp"));
  EXPECT_THAT(ipumodel::parseGpArchive(ipumodel::readFile(output_)).targets,
              ElementsAre("cpu", "ipu2"));
  auto strict = arguments;
  strict.emplace_back("-Werror");
  EXPECT_EQ(popc(strict).exitCode, 1);
}

TEST_F(PopcCommand, HeadersForCodeletsNeedNoFolder) {
  std::filesystem::create_directory(files_.path("own"));
  files_.write("own/Loops.hpp", "constexpr int mine = 1;\n");
  EXPECT_EQ(popc({"-", "-I", files_.path("own"), "-o", output_},
                 "#include <Vertex.hpp>\n#include <StackSizeDefs.hpp>\n"
                 "#include <Loops.hpp>\n" +
                     vertexSource("V", "", "static_assert(mine == 1, \"\");"))
                .exitCode,
            0);
}

TEST_F(PopcCommand, TargetsMayBeNamedWithOneDash) {
  for (const std::vector<std::string> &option :
       {std::vector<std::string>{"-target=ipu2"}, {"-target", "ipu2"}}) {
    std::vector<std::string> arguments{"-", "-o", output_};
    arguments.insert(arguments.end(), option.begin(), option.end());
    EXPECT_EQ(popc(arguments, vertexSource("V", "")).exitCode, 0);
    EXPECT_THAT(ipumodel::parseGpArchive(ipumodel::readFile(output_)).targets,
                ElementsAre("ipu2"));
  }
}

TEST_F(PopcCommand, SourceMayComeFromStandardInput) {
  EXPECT_EQ(popc({"-", "-o", output_}, vertexSource("V", "")).exitCode, 0);
  EXPECT_NE(CodeletLibrary::loadFile(output_)->find("ns::V"), nullptr);
}

TEST_F(PopcCommand, OneFileMayHoldHostAndCodelet) {
  const auto source = files_.write(
      "program.cpp", "#ifdef __POPC__\n" + vertexSource("V", "") +
                         "#else\n#include <no_such_header>\n#endif\n");
  EXPECT_EQ(popc({source, "-o", output_}).errors, "");
}

TEST_F(PopcCommand, OldStandardsCompile) {
  const auto source = files_.write(
      "source.cpp",
      vertexSource("V", "Input<half> in; Output<float> out;", "out = in;"));
  const auto result = popc({source, "-std=c++11", "-Wall", "-Wextra",
                            "-pedantic-errors", "-o", output_});
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.exitCode, 0);
}

// As codelets for other targets than the IPU have them.
TEST_F(PopcCommand, SourcesMayDefineTheDevicesNamesThemselves) {
  const auto source = files_.write("own.cpp", R"(
#include <poplar/Vertex.hpp>
namespace mine {
struct float2 { float x, y; };
template <typename T> T __builtin_ipu_max(T a, T b) { return a.x > b.x ? a : b; }
}
using namespace mine;
typedef struct { short bits[4]; } half4;
using rptsize_t = unsigned short;
struct Own : poplar::Vertex {
  poplar::Output<float> out;
  bool compute() {
    const float2 a = {1, 2}, b = {3, 4};
    *out = __builtin_ipu_max(a, b).y + sizeof(half4) + sizeof(rptsize_t);
    return true;
  }
};
)");
  const auto result = popc({source, "-Wall", "-o", output_});
  EXPECT_EQ(result.errors, "");
  ASSERT_EQ(result.exitCode, 0);
  const auto library = CodeletLibrary::loadFile(output_);
  VertexObject vertex(*library->find("Own"));
  float out = 0;
  vertex.set("out", &out);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(out, 14);
}

TEST_F(PopcCommand, InstructionsThatACpuHasNotAreNamed) {
  EXPECT_THAT(errorFor(vertexSource("V", "Output<unsigned> out;",
                                    "*out = __builtin_ipu_tapack(0, 0, 0);")),
              HasSubstr("'__builtin_ipu_tapack'"));
  EXPECT_THAT(errorFor("#include <ipu_intrinsics>\n" +
                       vertexSource("V", "Output<float> out;",
                                    "*out = ipu::unheard(1.0f);")),
              HasSubstr("'unheard' in namespace 'ipu'"));
}

TEST_F(PopcCommand, AttributesThatWouldBeIgnoredAreErrors) {
  EXPECT_THAT(errorFor("typedef int swapped __attribute__((swap_bytes));\n"),
              HasSubstr("source.cpp:1:36: error: unknown attribute"));
  EXPECT_THAT(errorFor("[[vendor::wide]] int x;\n"),
              HasSubstr("error: unknown attribute"));
  EXPECT_THAT(errorFor("__attribute__((target(\"worker\"))) void f() {}\n"),
              HasSubstr("error: unsupported"));
}

TEST_F(PopcCommand, SaysWhatItIs) {
  EXPECT_THAT(popc({"--version"}).output,
              MatchesRegex("popc version [0-9.]+ .*\n.*[0-9]+\\.[0-9]+.*\n(.|"
                           "\n)*"));
  EXPECT_EQ(popc({"--list-targets"}).output, "cpu,ipu1,ipu2,ipu21\n");
  const auto help = popc({"--help"});
  EXPECT_EQ(help.exitCode, 0);
  EXPECT_THAT(help.output, HasSubstr("Examples:\n  popc codelets.cpp -o "));
  EXPECT_EQ(help.errors, "");
}

// No file of its own becomes one either: the compiler sees which are there.
TEST_F(PopcCommand, WorksWithoutStandardStreams) {
  const auto seen = files_.path("streams");
  const auto clang = files_.writeProgram(
      "cxx", "#!/bin/sh\ncd /proc/$PPID/fd && readlink 0 1 2 >> " + seen +
                 "; cd - > /dev/null\nexec '" + ipumodel::findCxxCompiler() +
                 "' \"$@\"\n");
  const ScopedEnv compiler("POPC_CXX", clang);
  const auto source = files_.write("source.cpp", vertexSource("V", "int x;"));
  ASSERT_EQ(popc({source, "-o", output_}).exitCode, 0);
  const std::string expected = ipumodel::readFile(output_);
  std::filesystem::remove(output_);
  std::filesystem::remove(seen);
  const auto result =
      ipumodel::runChild({"sh", "-c",
                          ipumodel::findPopc() + " " + source + " -o " +
                              output_ + " <&- >&- 2>&-"});
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_EQ(ipumodel::readFile(output_), expected);
  EXPECT_THAT(ipumodel::readFile(seen), MatchesRegex("(/dev/null\n)+"));
}

TEST_F(PopcCommand, AFileTooLargeIsAnErrorAndNoCrash) {
  const auto source = files_.write("source.cpp", vertexSource("V", "int x;"));
  const auto result =
      ipumodel::runChild({"sh", "-c",
                          "ulimit -f 1; exec " + ipumodel::findPopc() + " " +
                              source + " -o " + output_});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.errors, "");
  EXPECT_FALSE(std::filesystem::exists(output_));
}

} // namespace
