#include "popc/scan/class_probe.hpp"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <sstream>

namespace ipumodel::popc {
namespace {

const char *const kNamespace = "popc_probe";

// For class 3 with a field x, written in namespace ns:
//   namespace ns { using popc_class_3 = Foo<4>; }
//   namespace popc_probe {
//   void name_3(ns::popc_class_3 *);
//   using vertex_3_0 = Flag<__is_base_of(::poplar::Vertex, ...) || ...>;
//   using field_3_0 = decltype(ns::popc_class_3::x);
//   }
std::string asSource(const std::vector<ClassProbe::Question> &questions) {
  std::ostringstream aliases, probes;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto &question = questions[i];
    std::string alias;
    for (const auto &space : question.scope) {
      aliases << "namespace " << space << " { ";
      if (!space.empty())
        alias.append("::").append(space);
    }
    alias.append("::popc_class_").append(std::to_string(i));
    aliases << "using popc_class_" << i << " = " << question.written << ";"
            << std::string(question.scope.size(), '}') << "\n";

    probes << "void name_" << i << "_0(" << alias << " *);\n"
           << "using vertex_" << i << "_0 = Flag<";
    for (const char *base : {"Vertex", "MultiVertex", "SupervisorVertex"})
      probes << "__is_base_of(::poplar::" << base << ", " << alias << ") || ";
    probes << "false>;\n";
    for (std::size_t f = 0; f < question.fields.size(); ++f)
      probes << "using field_" << i << "_" << f << " = decltype(" << alias
             << "::" << question.fields[f] << ");\n";
  }
  return "\n" + aliases.str() + "namespace " + kNamespace +
         " {\ntemplate <bool> struct Flag;\n" + probes.str() + "}\n";
}

// The parameter of a function name_i(Class *), from its mangled name: there
// every template argument is evaluated.
std::string parameterClass(CXCursor function) {
  const std::string mangled = toString(clang_Cursor_getMangling(function));
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      ::abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr),
      &std::free);
  const std::string text = demangled ? demangled.get() : "";
  const auto begin = text.find('('), end = text.rfind("*)");
  return begin < end && end != text.npos
             ? text.substr(begin + 1, end - begin - 1)
             : std::string();
}

} // namespace

ClassProbe::ClassProbe(const SourceText &source,
                       const std::vector<std::string> &flags,
                       const std::vector<Question> &questions)
    : answers_(questions.size()) {
  auto probeFlags = flags;
  probeFlags.emplace_back("-fno-access-control");
  unit_ = std::make_unique<TranslationUnit>(
      SourceText{source.path, source.text + asSource(questions)}, probeFlags);
  forEachChild(unit_->cursor(), [&](CXCursor scope) {
    if (toString(clang_getCursorSpelling(scope)) == kNamespace)
      forEachChild(scope, [&](CXCursor child) { read(child, questions); });
  });
}

void ClassProbe::read(CXCursor declaration,
                      const std::vector<Question> &questions) {
  char what[8];
  std::size_t number, field;
  if (std::sscanf(toString(clang_getCursorSpelling(declaration)).c_str(),
                  "%7[a-z]_%zu_%zu", what, &number, &field) != 3)
    return;
  Answer &answer = answers_.at(number);
  if (what == std::string("name")) {
    answer.name = parameterClass(declaration);
    return;
  }
  const CXType type =
      clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(declaration));
  if (what == std::string("field"))
    answer.fields[questions[number].fields.at(field)] = type;
  else
    answer.isVertex = toString(clang_getTypeSpelling(type)) ==
                      std::string(kNamespace) + "::Flag<true>";
}

} // namespace ipumodel::popc
