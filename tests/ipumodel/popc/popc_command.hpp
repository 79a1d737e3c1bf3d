// Runs popc on sources.
#pragma once

#include "poplar/codelet/codelet_compiler.hpp"
#include "poplar/system/child_process.hpp"
#include "scoped_directory.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

inline ipumodel::ChildResult popc(std::vector<std::string> arguments,
                                  const std::string &input = {}) {
  arguments.insert(arguments.begin(), ipumodel::findPopc());
  return ipumodel::runChild(arguments, input);
}

inline std::string vertexSource(const std::string &name,
                                const std::string &fields,
                                const std::string &body = "") {
  return "#include <poplar/Vertex.hpp>\n#include <string>\n"
         "using namespace poplar;\nnamespace ns {\nclass " +
         name + " : public Vertex {\n" + fields + "\nbool compute() { " + body +
         " return true; }\n};\n}\n";
}

class PopcCommand : public testing::Test {
protected:
  // Compiles `source` and expects that to fail with one line.
  std::string errorFor(const std::string &source) {
    const auto result =
        popc({files_.write("source.cpp", source), "-o", output_});
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_FALSE(std::filesystem::exists(output_));
    return result.errors;
  }

  ScopedDirectory files_;
  std::string output_ = files_.path("out.gp");
};
