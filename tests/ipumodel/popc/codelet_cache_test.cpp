#include "poplar/codelet/codelet_cache.hpp"
#include "poplar/codelet/codelet_compiler.hpp"
#include "poplar/codelet/cxx_compiler.hpp"
#include "poplar/codelet/gp_archive.hpp"
#include "scoped_directory.hpp"
#include "tests/support/scoped_env.hpp"

#include <poplar/exceptions.hpp>

#include <gtest/gtest.h>
#include <sstream>
#include <thread>
#include <unistd.h>

using ipumodel::compileCodeletFile;
using ipumodel::compileCodeletSource;

namespace {

// Counts the calls of popc as lines of a file.
class CodeletCacheTest : public testing::Test {
protected:
  CodeletCacheTest()
      : cacheDirectory_("IPUMODEL_CACHE_DIR", cache_.path("entries")),
        popc_("POPC",
              files_.writeProgram(
                  "popc", "#!/bin/sh\necho call >> " + files_.path("calls") +
                              "\nexec " + ipumodel::findPopc() + " \"$@\"\n")) {
  }

  std::size_t calls() const {
    try {
      const auto lines = ipumodel::readFile(files_.path("calls"));
      return std::size_t(std::count(lines.begin(), lines.end(), '\n'));
    } catch (const std::system_error &) {
      return 0;
    }
  }

  std::string compileFile(const std::string &path,
                          const std::string &flags = "-O0") {
    // Files newer than a compilation are not trusted.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ostringstream output;
    return compileCodeletFile(path, flags, output);
  }

  // The only entry.
  std::string entry() const {
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(cache_.path("entries")))
      if (entry.is_regular_file())
        return entry.path();
    return "";
  }

  // With the permissions that an entry has.
  void replaceEntry(const std::string &content) const {
    const std::string path = entry();
    ipumodel::writeFile(path, content);
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  }

  ScopedDirectory files_, cache_;
  ScopedEnv cacheDirectory_, popc_;
};

const char *const kSource = "#include \"value.hpp\"\n"
                            "int twice() { return 2 * value; }\n";

TEST_F(CodeletCacheTest, SecondCompilationDoesNotStartPopc) {
  files_.write("value.hpp", "const int value = 1;\n");
  const auto source = files_.write("source.cpp", kSource);
  const auto first = compileFile(source);
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(compileFile(source), first);
  EXPECT_EQ(calls(), 1u);
}

TEST_F(CodeletCacheTest, SourceFromMemoryIsCachedToo) {
  std::ostringstream output;
  const auto first = compileCodeletSource("int x;\n", "-O0", output);
  EXPECT_EQ(compileCodeletSource("int x;\n", "-O0", output), first);
  EXPECT_EQ(calls(), 1u);
  compileCodeletSource("int y;\n", "-O0", output);
  EXPECT_EQ(calls(), 2u);
}

TEST_F(CodeletCacheTest, ChangedSourceFlagsOrHeaderAreCompiledAgain) {
  files_.write("value.hpp", "const int value = 1;\n");
  const auto source = files_.write("source.cpp", kSource);
  const auto first = compileFile(source);
  compileFile(source, "-O1");
  EXPECT_EQ(calls(), 2u);
  files_.write("value.hpp", "const int value = 3;\n");
  EXPECT_NE(compileFile(source), first);
  EXPECT_EQ(calls(), 3u);
  files_.write("source.cpp", std::string(kSource) + "\n");
  compileFile(source);
  EXPECT_EQ(calls(), 4u);
}

TEST_F(CodeletCacheTest, AnotherCompilerIsAnotherResult) {
  const auto source = files_.write("source.cpp", "int x;\n");
  compileFile(source);
  const ScopedEnv compiler(
      "POPC_CXX",
      files_.writeProgram("other-clang++", "#!/bin/sh\nexec '" +
                                               ipumodel::findCxxCompiler() +
                                               "' \"$@\"\n"));
  compileFile(source);
  EXPECT_EQ(calls(), 2u);
}

TEST_F(CodeletCacheTest, DamagedEntryIsCompiledAgain) {
  const auto source = files_.write("source.cpp", "int x;\n");
  const auto first = compileFile(source);
  const std::string intact = ipumodel::readFile(entry());
  std::size_t expectedCalls = 1;
  for (const std::size_t size :
       {std::size_t(0), std::size_t(10), intact.size() - 1}) {
    replaceEntry(intact.substr(0, size));
    EXPECT_EQ(compileFile(source), first);
    EXPECT_EQ(calls(), ++expectedCalls);
  }
  std::string flipped = intact;
  flipped[intact.size() / 2] ^= 1;
  replaceEntry(flipped);
  EXPECT_EQ(compileFile(source), first);
  EXPECT_EQ(calls(), ++expectedCalls);
  EXPECT_EQ(ipumodel::readFile(entry()), intact);
}

// What is in an entry gets run, with the rights of whoever finds it.
TEST_F(CodeletCacheTest, WhatSomebodyElseCouldHaveWrittenIsNotUsed) {
  namespace fs = std::filesystem;
  const auto source = files_.write("source.cpp", "int x;\n");
  compileFile(source);
  const fs::path path = entry();
  const auto expectUsed = [&](bool used, const char *what) {
    const std::size_t before = calls();
    compileFile(source);
    EXPECT_EQ(calls(), before + (used ? 0 : 1)) << what;
  };
  expectUsed(true, "its own");
  for (const fs::perms perms :
       {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(path, perms, fs::perm_options::add);
    expectUsed(false, "anybody may write the entry");
    expectUsed(true, "it was replaced");
    fs::permissions(path.parent_path(), perms, fs::perm_options::add);
    expectUsed(false, "anybody may put entries there");
    fs::permissions(path.parent_path(), perms, fs::perm_options::remove);
  }
  const fs::path aside = path.string() + ".aside";
  fs::rename(path, aside);
  fs::create_symlink(aside, path);
  expectUsed(false, "a link");
  expectUsed(true, "it was replaced");
  if (::geteuid() != 0)
    return; // nothing can be given to others
  constexpr uid_t kNobody = 65534;
  for (const fs::path &whose : {path, path.parent_path()}) {
    ASSERT_EQ(::chown(whose.c_str(), kNobody, gid_t(-1)), 0);
    expectUsed(false, "somebody else's");
    ASSERT_EQ(::chown(whose.c_str(), 0, gid_t(-1)), 0);
  }
}

TEST_F(CodeletCacheTest, DirectoryIsMadeForThisUserAlone) {
  namespace fs = std::filesystem;
  compileFile(files_.write("source.cpp", "int x;\n"));
  const fs::path path = entry();
  EXPECT_EQ(fs::status(path.parent_path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(path).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CodeletCacheTest, EntryOfAnotherSourceIsNotTakenForThisOne) {
  const auto one = files_.write("one.cpp", "int one;\n");
  const auto two = files_.write("two.cpp", "int two;\n");
  compileFile(one);
  const std::string first = entry(), ofOne = ipumodel::readFile(first);
  std::filesystem::remove(first);
  const auto archive = compileFile(two);
  replaceEntry(ofOne);
  EXPECT_EQ(compileFile(two), archive);
  EXPECT_EQ(calls(), 3u);
}

TEST_F(CodeletCacheTest, FileNamedLikeAFlagIsAFile) {
  files_.write("-x.cpp", "int x;\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(files_.path(""));
  std::string archive;
  EXPECT_NO_THROW(archive = compileFile("-x.cpp"));
  std::filesystem::current_path(before);
  EXPECT_NO_THROW(ipumodel::parseGpArchive(archive));
}

TEST_F(CodeletCacheTest, UselessDirectoryOnlyCostsTime) {
  const auto source = files_.write("source.cpp", "int x;\n");
  const ScopedEnv directory("IPUMODEL_CACHE_DIR", source); // not a directory
  const auto first = compileFile(source);
  EXPECT_EQ(compileFile(source), first);
  EXPECT_EQ(calls(), 2u);
}

TEST_F(CodeletCacheTest, FailedCompilationsAreNotKept) {
  const auto source = files_.write("source.cpp", "int x = y;\n");
  for (const std::size_t expected : {1u, 2u}) {
    EXPECT_THROW(compileFile(source), poplar::graph_program_compilation_error);
    EXPECT_EQ(calls(), expected);
  }
}

TEST_F(CodeletCacheTest, CompilationsAtTheSameTimeAgree) {
  const auto source = files_.write("source.cpp", "int x;\n");
  std::vector<std::string> archives(4);
  std::vector<std::thread> threads;
  for (auto &archive : archives)
    threads.emplace_back([&] { archive = compileFile(source); });
  for (auto &thread : threads)
    thread.join();
  for (const auto &archive : archives)
    EXPECT_EQ(archive, archives[0]);
  const auto before = calls();
  EXPECT_EQ(compileFile(source), archives[0]);
  EXPECT_EQ(calls(), before);
}

TEST_F(CodeletCacheTest, MissingPopcIsSaid) {
  const ScopedEnv popc("POPC", files_.path("no_popc"));
  std::ostringstream output;
  EXPECT_THROW(compileCodeletSource("int x;\n", "", output),
               poplar::no_environment);
}

} // namespace
