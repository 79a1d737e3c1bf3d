// Asks the compiler about classes that libclang shows only as written, or only
// as the template they come from: what their name is with every template
// argument evaluated, whether they are vertices, what types their fields have.
#pragma once

#include "popc/scan/translation_unit.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel::popc {

class ClassProbe {
public:
  struct Question {
    std::string written;            // the class, as written in the scope
    std::vector<std::string> scope; // namespaces, outermost first
    std::vector<std::string> fields;
  };
  struct Answer {
    // The class at global scope, its arguments as literals and types in full;
    // an enumerator is a cast: ns::Foo<float, (ns::E)1>. Empty if the compiler
    // does not know the class.
    std::string name;
    bool isVertex = false;
    std::map<std::string, CXType> fields; // valid as long as the probe
  };

  // Appends the questions to the source, as declarations, and reads what the
  // compiler makes of them.
  ClassProbe(const SourceText &source, const std::vector<std::string> &flags,
             const std::vector<Question> &questions);

  const std::vector<Answer> &answers() const { return answers_; }

private:
  void read(CXCursor declaration, const std::vector<Question> &questions);

  std::unique_ptr<TranslationUnit> unit_;
  std::vector<Answer> answers_;
};

} // namespace ipumodel::popc
