#include "popops/expr/op_names.hpp"

#include <popops/ExprOpUtils.hpp>

#include <ostream>

namespace ipumodel {

const char *nameOf(popops::expr::UnaryOpType op) {
  using Op = popops::expr::UnaryOpType;
  switch (op) {
  case Op::ABSOLUTE:
    return "ABSOLUTE";
  case Op::ASIN:
    return "ASIN";
  case Op::BITWISE_NOT:
    return "BITWISE_NOT";
  case Op::CBRT:
    return "CBRT";
  case Op::CEIL:
    return "CEIL";
  case Op::COS:
    return "COS";
  case Op::COUNT_LEADING_ZEROS:
    return "COUNT_LEADING_ZEROS";
  case Op::ERF:
    return "ERF";
  case Op::EXPONENT:
    return "EXPONENT";
  case Op::EXPONENT_MINUS_ONE:
    return "EXPONENT_MINUS_ONE";
  case Op::EXPONENT2:
    return "EXPONENT2";
  case Op::FLOOR:
    return "FLOOR";
  case Op::GELU_ERF:
    return "GELU_ERF";
  case Op::INVERSE:
    return "INVERSE";
  case Op::IS_FINITE:
    return "IS_FINITE";
  case Op::IS_INF:
    return "IS_INF";
  case Op::IS_NAN:
    return "IS_NAN";
  case Op::LOGARITHM:
    return "LOGARITHM";
  case Op::LOGARITHM_ONE_PLUS:
    return "LOGARITHM_ONE_PLUS";
  case Op::LOGICAL_NOT:
    return "LOGICAL_NOT";
  case Op::NEGATE:
    return "NEGATE";
  case Op::NEARBY_INT:
    return "NEARBY_INT";
  case Op::POPCOUNT:
    return "POPCOUNT";
  case Op::RELU:
    return "RELU";
  case Op::SIGNUM:
    return "SIGNUM";
  case Op::SIN:
    return "SIN";
  case Op::TAN:
    return "TAN";
  case Op::TANH:
    return "TANH";
  case Op::ROUND:
    return "ROUND";
  case Op::SQRT:
    return "SQRT";
  case Op::SQUARE:
    return "SQUARE";
  case Op::SIGMOID:
    return "SIGMOID";
  case Op::RSQRT:
    return "RSQRT";
  case Op::TRUNC:
    return "TRUNC";
  }
  return "?";
}

const char *nameOf(popops::expr::BinaryOpType op) {
  using Op = popops::expr::BinaryOpType;
  switch (op) {
  case Op::ADD:
    return "ADD";
  case Op::ATAN2:
    return "ATAN2";
  case Op::BITWISE_AND:
    return "BITWISE_AND";
  case Op::BITWISE_OR:
    return "BITWISE_OR";
  case Op::BITWISE_XOR:
    return "BITWISE_XOR";
  case Op::BITWISE_XNOR:
    return "BITWISE_XNOR";
  case Op::DIVIDE:
    return "DIVIDE";
  case Op::EQUAL:
    return "EQUAL";
  case Op::GREATER_THAN_EQUAL:
    return "GREATER_THAN_EQUAL";
  case Op::GREATER_THAN:
    return "GREATER_THAN";
  case Op::INV_STD_DEV_TO_VARIANCE:
    return "INV_STD_DEV_TO_VARIANCE";
  case Op::LESS_THAN_EQUAL:
    return "LESS_THAN_EQUAL";
  case Op::LOGICAL_AND:
    return "LOGICAL_AND";
  case Op::LOGICAL_OR:
    return "LOGICAL_OR";
  case Op::LESS_THAN:
    return "LESS_THAN";
  case Op::MAXIMUM:
    return "MAXIMUM";
  case Op::MINIMUM:
    return "MINIMUM";
  case Op::MULTIPLY:
    return "MULTIPLY";
  case Op::NOT_EQUAL:
    return "NOT_EQUAL";
  case Op::POWER:
    return "POWER";
  case Op::REMAINDER:
    return "REMAINDER";
  case Op::SHIFT_LEFT:
    return "SHIFT_LEFT";
  case Op::SHIFT_RIGHT:
    return "SHIFT_RIGHT";
  case Op::SHIFT_RIGHT_SIGN_EXTEND:
    return "SHIFT_RIGHT_SIGN_EXTEND";
  case Op::SUBTRACT:
    return "SUBTRACT";
  case Op::VARIANCE_TO_INV_STD_DEV:
    return "VARIANCE_TO_INV_STD_DEV";
  }
  return "?";
}

const char *nameOf(popops::expr::TernaryOpType op) {
  using Op = popops::expr::TernaryOpType;
  switch (op) {
  case Op::CLAMP:
    return "CLAMP";
  case Op::SELECT:
    return "SELECT";
  }
  return "?";
}

} // namespace ipumodel

namespace popops {
namespace expr {
namespace ostream_ext {

std::ostream &operator<<(std::ostream &os, const UnaryOpType &t) {
  return os << ipumodel::nameOf(t);
}
std::ostream &operator<<(std::ostream &os, const BinaryOpType &t) {
  return os << ipumodel::nameOf(t);
}
std::ostream &operator<<(std::ostream &os, const TernaryOpType &t) {
  return os << ipumodel::nameOf(t);
}

} // namespace ostream_ext
} // namespace expr
} // namespace popops
