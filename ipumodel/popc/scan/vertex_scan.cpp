#include "popc/scan/vertex_scan.hpp"

#include "popc/scan/class_family.hpp"
#include "popc/scan/class_probe.hpp"
#include "popc/scan/enumerators.hpp"
#include "popc/scan/field_type.hpp"
#include "popc/scan/own_names.hpp"
#include "popc/scan/vector_names.hpp"
#include "poplar/codelet/vertex_name.hpp"

#include <memory>
#include <set>

namespace ipumodel::popc {
namespace {

bool startsWith(CXCursor cursor, const char *word) {
  const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(cursor);
  CXToken *token =
      clang_getToken(unit, clang_getRangeStart(clang_getCursorExtent(cursor)));
  if (!token)
    return false;
  const bool equal = toString(clang_getTokenSpelling(unit, *token)) == word;
  clang_disposeTokens(unit, token, 1);
  return equal;
}

// The namespaces around a declaration, outermost first.
std::vector<std::string> namespacesOf(CXCursor declaration) {
  std::vector<std::string> names;
  for (CXCursor scope = clang_getCursorLexicalParent(declaration);
       clang_getCursorKind(scope) == CXCursor_Namespace;
       scope = clang_getCursorLexicalParent(scope))
    names.insert(names.begin(), toString(clang_getCursorSpelling(scope)));
  return names;
}

struct Candidate {
  CXCursor record;
  ClassFamily family;
};

void addField(VertexClass &vertex, const Member &field, CXType type) {
  const std::string name = vertex.name + "." + field.name;
  const auto fail = [&](const std::string &why) {
    throw VertexError(location(field.declaration) + ": error: vertex field '" +
                      name + "' " + why);
  };
  if (clang_Cursor_isBitField(field.declaration))
    fail(std::string("is a bit-field; ") + kFieldTypesHelp);
  const auto fieldType = classifyField(type);
  if (!fieldType)
    fail("has type '" + toString(clang_getTypeSpelling(type)) + "'; " +
         kFieldTypesHelp);
  for (const auto &other : vertex.fields)
    if (other.name == field.name)
      fail("hides an inherited field");
  vertex.fields.push_back({field.name, *fieldType});
}

class Scanner {
public:
  Scanner(const SourceText &source, const std::vector<std::string> &flags)
      : source_(source), flags_(flags),
        unit_(std::make_unique<TranslationUnit>(source, flags)) {
    result_.macros = macrosForOwnNames(unit_->cursor());
    if (result_.macros.empty())
      return;
    for (const auto &macro : result_.macros)
      flags_.push_back("-D" + macro);
    unit_ = std::make_unique<TranslationUnit>(source_, flags_);
  }

  VertexScan run() {
    result_.errors = unit_->errors();
    if (result_.errors.empty()) {
      visit(unit_->cursor());
      addPlain();
      addProbed();
      warnOfMissingCompute();
    }
    return std::move(result_);
  }

private:
  void visit(CXCursor scope) {
    forEachChild(scope, [&](CXCursor child) {
      if (clang_Location_isInSystemHeader(clang_getCursorLocation(child)))
        return;
      const CXCursorKind kind = clang_getCursorKind(child);
      if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec) {
        visit(child);
      } else if (isClass(child)) {
        consider(child);
        visit(child);
      }
    });
  }

  void consider(CXCursor record) {
    const CXCursor definition = clang_getCursorDefinition(record);
    if (clang_Cursor_isNull(definition) || clang_Cursor_isAnonymous(record) ||
        startsWith(record, "extern"))
      return;
    const ClassFamily family = familyOf(definition);
    if (!family.isVertex && !family.isDependent)
      return;
    bases_.insert(family.bases.begin(), family.bases.end());
    if (!family.hasCompute)
      withoutCompute_.push_back({record, family});
    else if (family.isDependent ||
             !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(record)))
      probed_.push_back({record, family});
    else
      plain_.push_back({record, family});
  }

  void addPlain() {
    for (const auto &[record, family] : plain_) {
      VertexClass vertex;
      vertex.spelling = writtenName(clang_getCursorType(record));
      vertex.name = normaliseVertexName(vertex.spelling);
      for (const auto &field : family.fields)
        addField(vertex, field, clang_getCursorType(field.declaration));
      add(std::move(vertex), record, family);
    }
  }

  void addProbed() {
    if (probed_.empty())
      return;
    std::vector<ClassProbe::Question> questions;
    for (const auto &[record, family] : probed_) {
      ClassProbe::Question question;
      question.written = writtenName(clang_getCursorType(record));
      question.scope = namespacesOf(record);
      for (const auto &field : family.fields)
        question.fields.push_back(field.name);
      questions.push_back(std::move(question));
    }
    const ClassProbe probe(source_, flags_, questions);
    for (std::size_t i = 0; i < probed_.size(); ++i) {
      const auto &[record, family] = probed_[i];
      const auto &answer = probe.answers()[i];
      if (answer.name.empty() && family.isVertex)
        throw VertexError(location(record) + ": error: cannot tell what '" +
                          questions[i].written + "' is outside its namespace");
      if (!answer.isVertex)
        continue;
      VertexClass vertex;
      const std::string name = withoutUnnamedNamespaces(answer.name);
      vertex.spelling =
          spellVectors(name, questions[i].written.find("ext_vector_type") !=
                                 std::string::npos);
      vertex.name = normaliseVertexName(
          nameEnumerators(nameVectors(name), unit_->cursor()));
      for (const auto &field : family.fields)
        addField(vertex, field, answer.fields.at(field.name));
      add(std::move(vertex), record, family);
    }
  }

  void add(VertexClass vertex, CXCursor record, const ClassFamily &family) {
    if (family.hasVirtual)
      throw VertexError(location(record) + ": error: vertex class '" +
                        vertex.name +
                        "' has virtual functions; a vertex is never "
                        "constructed, so it cannot have them");
    if (names_.insert(vertex.name).second)
      result_.vertices.push_back(std::move(vertex));
  }

  void warnOfMissingCompute() {
    for (const auto &[record, family] : withoutCompute_) {
      const std::string name = writtenName(clang_getCursorType(record));
      if (family.isVertex && bases_.count(name) == 0)
        result_.warnings.push_back(
            location(record) + ": warning: class '" + name +
            "' derives from a vertex class but has no compute(); it is left "
            "out");
    }
  }

  const SourceText &source_;
  std::vector<std::string> flags_;
  std::unique_ptr<const TranslationUnit> unit_;
  std::vector<Candidate> plain_;
  std::vector<Candidate> probed_; // need a ClassProbe
  std::vector<Candidate> withoutCompute_;
  std::set<std::string> bases_;
  std::set<std::string> names_;
  VertexScan result_;
};

} // namespace

VertexScan scanVertices(const SourceText &source,
                        const std::vector<std::string> &flags) {
  return Scanner(source, flags).run();
}

} // namespace ipumodel::popc
