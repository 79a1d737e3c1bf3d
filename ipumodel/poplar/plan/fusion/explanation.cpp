#include "poplar/plan/fusion/explanation.hpp"

#include <poplar/exceptions.hpp>

#include <cstdlib>
#include <iostream>

namespace ipumodel {

Explanation Explanation::ofEnvironment() {
  const char *given = std::getenv("IPUMODEL_EXPLAIN");
  const std::string text = given ? given : "0";
  if (text != "0" && text != "1")
    throw poplar::invalid_option("IPUMODEL_EXPLAIN is '" + text +
                                 "'; give 0 or 1");
  return Explanation(text == "1" ? &std::cerr : nullptr);
}

void Explanation::fused(FusionPass pass, const std::string &text) {
  write(std::string("fusion: ") + nameOf(pass) + ": " + text);
}

void Explanation::notFused(FusionPass pass, const std::string &text) {
  write(std::string("fusion: no ") + nameOf(pass) + ": " + text);
}

void Explanation::write(const std::string &line) {
  if (out_ && written_.insert(line).second)
    *out_ << line << '\n';
}

std::string textOf(const ProgramNode &program) {
  return '\'' + program.name + "' (" +
         (program.op ? program.op->what->name() : "vertices") + ')';
}

} // namespace ipumodel
