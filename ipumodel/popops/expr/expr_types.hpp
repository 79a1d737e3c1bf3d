// The element types of expressions.
#pragma once

#include <popops/Expr.hpp>

#include <unordered_map>
#include <vector>

namespace ipumodel {

bool yieldsBool(popops::expr::UnaryOpType op);
bool yieldsBool(popops::expr::BinaryOpType op);

// The tensor of a placeholder; throws poplibs_error if there is none.
template <class T>
const T &operandOf(const popops::expr::PlaceHolder &placeHolder,
                   const std::vector<T> &operands);

struct ExprTypes {
  poplar::Type result;
  // A constant has no type and takes that of its sibling.
  std::unordered_map<const popops::expr::Expr *, poplar::Type> constants;
};

// `operands` are the types of the placeholders. Throws poplibs_error if the
// operands of an operator differ in type, or if the type of a constant cannot
// be determined.
ExprTypes inferTypes(const popops::expr::Expr &expr,
                     const std::vector<poplar::Type> &operands);

[[noreturn]] void throwNoOperand(unsigned index);

template <class T>
const T &operandOf(const popops::expr::PlaceHolder &placeHolder,
                   const std::vector<T> &operands) {
  const unsigned index = placeHolder.getIndex();
  if (index == 0 || index > operands.size())
    throwNoOperand(index);
  return operands[index - 1];
}

} // namespace ipumodel
