// A class as its author wrote it, together with all its bases.
#pragma once

#include <clang-c/Index.h>
#include <string>
#include <vector>

namespace ipumodel::popc {

struct Member {
  std::string name;
  CXCursor declaration;
};

struct ClassFamily {
  bool isVertex = false; // derives from a Poplar vertex class
  // A base depends on template parameters: only the compiler knows what it is
  // and which types the members have.
  bool isDependent = false;
  bool hasCompute = false;
  bool hasVirtual = false;
  std::vector<Member> fields; // of the bases first
  std::vector<std::string> bases;
};

// `record` is the definition of a class or an instantiation of a template.
ClassFamily familyOf(CXCursor record);

// A class or struct, not a template of one.
bool isClass(CXCursor cursor);

// The type in the words of the source, good C++ in the scope it was written
// in; there a name in an unnamed namespace needs no qualification.
std::string writtenName(CXType type);
std::string withoutUnnamedNamespaces(std::string name);

} // namespace ipumodel::popc
