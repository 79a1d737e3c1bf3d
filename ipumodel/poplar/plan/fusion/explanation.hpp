// What the fusion passes did and why they did not do more, for people.
#pragma once

#include "poplar/plan/fusion/fusion_settings.hpp"
#include "poplar/program/program_node.hpp"

#include <ostream>
#include <string>
#include <unordered_set>

namespace ipumodel {

// One line each; a line is written once, even if parts of a program are planned
// in two ways.
class Explanation {
public:
  // Writes to stderr if IPUMODEL_EXPLAIN is 1.
  static Explanation ofEnvironment();
  // Writes nothing if `out` is null.
  explicit Explanation(std::ostream *out) : out_(out) {}

  // Ask before making a text.
  bool isOn() const { return out_ != nullptr; }
  void fused(FusionPass pass, const std::string &text);
  void notFused(FusionPass pass, const std::string &text);

private:
  void write(const std::string &line);

  std::ostream *out_;
  std::unordered_set<std::string> written_;
};

// An operation's name and kind, as in: 'conv1/bias' (poplin.addBias).
std::string textOf(const ProgramNode &program);

} // namespace ipumodel
