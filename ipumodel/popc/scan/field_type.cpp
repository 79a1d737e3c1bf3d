#include "popc/scan/field_type.hpp"

#include "popc/scan/translation_unit.hpp"

namespace ipumodel::popc {
namespace {

using abi::Direction;
using abi::Form;

bool isArithmetic(CXTypeKind kind) {
  switch (kind) {
  case CXType_Bool:
  case CXType_Char_U:
  case CXType_Char_S:
  case CXType_UChar:
  case CXType_SChar:
  case CXType_UShort:
  case CXType_Short:
  case CXType_UInt:
  case CXType_Int:
  case CXType_ULong:
  case CXType_Long:
  case CXType_ULongLong:
  case CXType_LongLong:
  case CXType_Float:
  case CXType_Double:
    return true;
  default:
    return false;
  }
}

std::string className(CXType type) {
  return type.kind == CXType_Record
             ? qualifiedName(clang_getTypeDeclaration(type))
             : std::string();
}

std::optional<std::string> scalarName(CXType type) {
  const std::string name = className(type);
  if (name == "half" || name == "quarter")
    return name;
  if (!isArithmetic(type.kind))
    return {};
  std::string spelling = toString(clang_getTypeSpelling(type));
  for (const std::string qualifier : {"const ", "volatile "})
    if (spelling.rfind(qualifier, 0) == 0)
      spelling.erase(0, qualifier.size());
  return spelling;
}

CXType argumentOf(CXType type) {
  return clang_getCanonicalType(clang_Type_getTemplateArgumentAsType(type, 0));
}

std::optional<Direction> edgeDirection(const std::string &className) {
  if (className == "poplar::Input")
    return Direction::input;
  if (className == "poplar::Output")
    return Direction::output;
  if (className == "poplar::InOut")
    return Direction::inOut;
  return {};
}

std::optional<FieldType> scalarsIn(CXType type, Direction direction,
                                   Form form) {
  if (const auto element = scalarName(type))
    return FieldType{direction, form, *element};
  return {};
}

// Input<T>, Input<Vector<T>>, Input<VectorList<T>>
std::optional<FieldType> classifyEdge(CXType content, Direction direction) {
  const std::string name = className(content);
  if (name == "poplar::Vector")
    return scalarsIn(argumentOf(content), direction, Form::vector);
  if (name == "poplar::VectorList")
    return scalarsIn(argumentOf(content), direction, Form::vectorOfVectors);
  return scalarsIn(content, direction, Form::scalar);
}

// Vector<T>, Vector<Vector<T>>, Vector<Input<T>>, Vector<Input<Vector<T>>>
std::optional<FieldType> classifyVector(CXType content) {
  const std::string name = className(content);
  if (name == "poplar::Vector")
    return scalarsIn(argumentOf(content), Direction::state,
                     Form::vectorOfVectors);
  const auto direction = edgeDirection(name);
  if (!direction)
    return scalarsIn(content, Direction::state, Form::vector);
  auto edge = classifyEdge(argumentOf(content), *direction);
  if (!edge || edge->form == Form::vectorOfVectors)
    return {};
  edge->form = edge->form == Form::scalar ? Form::vectorOfScalars
                                          : Form::vectorOfVectors;
  return edge;
}

} // namespace

const char *const kFieldTypesHelp =
    "a field is an arithmetic value, half, a Vector of them, or an Input, "
    "Output or InOut of one, of a Vector or of a VectorList";

std::optional<FieldType> classifyField(CXType type) {
  const CXType canonical = clang_getCanonicalType(type);
  const std::string name = className(canonical);
  if (const auto direction = edgeDirection(name))
    return classifyEdge(argumentOf(canonical), *direction);
  if (name == "poplar::Vector")
    return classifyVector(argumentOf(canonical));
  return scalarsIn(canonical, Direction::state, Form::scalar);
}

} // namespace ipumodel::popc
