#include "compiled.hpp"
#include "poplar/codelet/codelet_library.hpp"
#include "poplar/codelet/gp_archive.hpp"
#include "poplar/system/file_content.hpp"
#include "vertex_object.hpp"

#include <poplar/exceptions.hpp>

#include <fstream>
#include <gmock/gmock.h>

using ipumodel::CodeletLibrary;
using testing::HasSubstr;

namespace {

const char *const kAnswer = R"(
#include <poplar/Vertex.hpp>
struct Answer : poplar::Vertex {
  poplar::Output<int> out;
  void compute() { out = ANSWER; }
};
)";

int answerOf(const CodeletLibrary &library) {
  VertexObject vertex(*library.find("Answer"));
  int out = 0;
  vertex.set("out", &out);
  vertex.run();
  return out;
}

std::string printed;

TEST(CodeletLibrary, SourceFromMemoryIsCompiledWithItsFlags) {
  std::ostringstream output;
  const auto library =
      CodeletLibrary::compileSource(kAnswer, "-O1 '-DANSWER=40 + 2'", output);
  EXPECT_EQ(output.str(), "");
  EXPECT_EQ(answerOf(*library), 42);
}

TEST(CodeletLibrary, ArchiveLoadsAgainFromItsBytes) {
  std::ostringstream output;
  auto library = CodeletLibrary::compileSource(kAnswer, "-DANSWER=1", output);
  const std::string bytes = library->archive();
  library.reset();
  EXPECT_EQ(answerOf(*CodeletLibrary::loadArchive(bytes, "again")), 1);
}

TEST(CodeletLibrary, EqualArchivesAreLoadedOnceAndOthersApart) {
  std::ostringstream output;
  const auto one = CodeletLibrary::compileSource(kAnswer, "-DANSWER=1", output);
  const auto two = CodeletLibrary::compileSource(kAnswer, "-DANSWER=2", output);
  EXPECT_EQ(CodeletLibrary::loadArchive(one->archive(), "again"), one);
  EXPECT_NE(one, two);
  EXPECT_EQ(answerOf(*one), 1);
  EXPECT_EQ(answerOf(*two), 2);
}

TEST(CodeletLibrary, ManyLoadsInTurnDoNotMixUp) {
  std::ostringstream output;
  for (const int answer : {3, 4, 3, 5, 4}) {
    const auto library = CodeletLibrary::compileSource(
        kAnswer, "-DANSWER=" + std::to_string(answer), output);
    EXPECT_EQ(answerOf(*library), answer);
  }
}

TEST(CodeletLibrary, PrintfGoesToTheEnginesFunction) {
  const auto &library = compiled("printing.cpp");
  printed.clear();
  library.setPrint([](const char *text, std::size_t length) {
    printed.append(text, length);
  });
  VertexObject vertex(*library.find("Printing"));
  vertex.set("times", 2u);
  EXPECT_TRUE(vertex.run());
  EXPECT_EQ(printed, "plain\n" + std::string(299, ' ') + "0|" +
                         std::string(299, ' ') + "1|");
}

TEST(CodeletLibrary, CompilerMessageNamesTheUsersLine) {
  std::ostringstream output;
  EXPECT_THROW(
      CodeletLibrary::compileFile(CODELET_DIR "/wrong.cpp", "", output),
      poplar::graph_program_compilation_error);
  EXPECT_THAT(output.str(), HasSubstr(CODELET_DIR "/wrong.cpp:9:13: error: "));
  EXPECT_THAT(output.str(), HasSubstr("undeclared_name"));
  EXPECT_THAT(output.str(), testing::Not(HasSubstr("<popc>")));
  try {
    CodeletLibrary::compileSource("int x = y;\n", "", output);
    FAIL() << "compiled";
  } catch (const poplar::graph_program_compilation_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("<stdin>:1:9: error: "));
  }
}

TEST(CodeletLibrary, MissingFilesAreNamed) {
  std::ostringstream output;
  EXPECT_THROW(CodeletLibrary::loadFile("no_such.gp"), poplar::file_load_error);
  EXPECT_THROW(CodeletLibrary::compileFile("no_such.cpp", "", output),
               poplar::file_load_error);
}

TEST(CodeletLibrary, DamagedArchivesAreRefused) {
  const std::string bytes = compiled("classes.cpp").archive();
  const auto load = [](const std::string &archive) {
    return CodeletLibrary::loadArchive(archive, "damaged.gp");
  };
  for (const std::size_t end : {std::size_t(0), std::size_t(5), std::size_t(20),
                                bytes.size() / 2, bytes.size() - 1})
    EXPECT_THROW(load(bytes.substr(0, end)), poplar::graph_object_load_error)
        << end;
  for (std::size_t at = 0; at < bytes.size(); at += bytes.size() / 50) {
    std::string flipped = bytes;
    flipped[at] = char(flipped[at] ^ 0x10);
    EXPECT_THROW(load(flipped), poplar::graph_object_load_error) << at;
  }
  ipumodel::GpArchive archive;
  archive.objects = {"no machine code"};
  EXPECT_THROW(load(serialise(archive)), poplar::graph_object_load_error);
}

} // namespace
