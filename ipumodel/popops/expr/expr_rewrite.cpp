#include "popops/expr/expr_rewrite.hpp"

#include "popops/expr/expr_types.hpp"

namespace ipumodel {

namespace {

using poplar::Type;
using popops::expr::BinaryOpType;
using popops::expr::Const;
using popops::expr::Expr;
using popops::expr::UnaryOpType;

struct Typed {
  std::unique_ptr<Expr> expr;
  Type type; // of a constant: its own type, before it takes its sibling's
};

template <class T, class... Args> std::unique_ptr<Expr> make(Args &&...args) {
  return std::make_unique<T>(std::forward<Args>(args)...);
}

// The operand itself. A cast to its own type, which costs nothing, prevents a
// placeholder from being taken for the whole expression.
Typed same(const Typed &operand) {
  if (operand.expr->isA<Const>())
    return {operand.expr->clone(), operand.type};
  return {make<popops::expr::Cast>(*operand.expr, operand.type), operand.type};
}

class Rewriter {
public:
  explicit Rewriter(const std::vector<Type> &operands) : operands_(operands) {}

  Typed rewrite(const Expr &expr) const {
    if (const auto *constant = expr.getAs<Const>())
      return {expr.clone(), constant->getType()};
    if (const auto *p = expr.getAs<popops::expr::PlaceHolder>())
      return {expr.clone(), operandOf(*p, operands_)};
    if (const auto *cast = expr.getAs<popops::expr::Cast>())
      return {make<popops::expr::Cast>(*rewrite(cast->getLHS()).expr,
                                       cast->getRHSType()),
              cast->getRHSType()};
    if (const auto *unary = expr.getAs<popops::expr::UnaryOp>()) {
      const Typed arg = rewrite(unary->getArg());
      return {make<popops::expr::UnaryOp>(unary->getOpType(), *arg.expr),
              yieldsBool(unary->getOpType()) ? poplar::BOOL : arg.type};
    }
    if (const auto *binary = expr.getAs<popops::expr::BinaryOp>())
      return rewriteBinary(*binary);
    return rewriteTernary(*expr.getAs<popops::expr::TernaryOp>());
  }

private:
  Typed rewriteBinary(const popops::expr::BinaryOp &binary) const {
    const BinaryOpType op = binary.getOpType();
    const Typed lhs = rewrite(binary.getLHS()), rhs = rewrite(binary.getRHS());
    const auto *left = binary.getLHS().getAs<Const>();
    const auto *right = binary.getRHS().getAs<Const>();
    if (right && !left) {
      if (op == BinaryOpType::POWER)
        if (Typed power = rewritePower(lhs, right->getDataAsDouble());
            power.expr)
          return power;
      if (op == BinaryOpType::DIVIDE || op == BinaryOpType::REMAINDER)
        if (Typed shift = rewriteDivision(op, lhs, *right); shift.expr)
          return shift;
      if (isNeutralOnTheRight(op, right->getDataAsDouble()))
        return same(lhs);
    }
    if (left && !right && isNeutralOnTheLeft(op, left->getDataAsDouble()))
      return same(rhs);
    return {make<popops::expr::BinaryOp>(op, *lhs.expr, *rhs.expr),
            yieldsBool(op) ? poplar::BOOL
            : left         ? rhs.type
                           : lhs.type};
  }

  static Typed rewritePower(const Typed &base, double exponent) {
    const auto unary = [&](UnaryOpType op) -> Typed {
      return {make<popops::expr::UnaryOp>(op, *base.expr), base.type};
    };
    if (exponent == 0.5)
      return unary(UnaryOpType::SQRT);
    if (exponent == -0.5)
      return unary(UnaryOpType::RSQRT);
    if (exponent == 1)
      return same(base);
    if (exponent == -1)
      return unary(UnaryOpType::INVERSE);
    if (exponent == 2)
      return unary(UnaryOpType::SQUARE);
    return {};
  }

  static Typed rewriteDivision(BinaryOpType op, const Typed &dividend,
                               const Const &divisor) {
    const poplar::TypeTraits &traits = divisor.getTypeTraits();
    const bool isUnsigned = dividend.type == poplar::UNSIGNED_CHAR ||
                            dividend.type == poplar::UNSIGNED_SHORT ||
                            dividend.type == poplar::UNSIGNED_INT;
    if (!isUnsigned || !traits.isIntegral || traits.isSigned)
      return {};
    const auto value =
        static_cast<unsigned>(divisor.getDataForUnsignedIntegral());
    if (value == 0 || (value & (value - 1)) != 0)
      return {};
    if (op == BinaryOpType::REMAINDER)
      return {make<popops::expr::BinaryOp>(BinaryOpType::BITWISE_AND,
                                           *dividend.expr, Const(value - 1)),
              dividend.type};
    unsigned shift = 0;
    while (value >> shift != 1)
      ++shift;
    return {make<popops::expr::BinaryOp>(BinaryOpType::SHIFT_RIGHT,
                                         *dividend.expr, Const(shift)),
            dividend.type};
  }

  static bool isNeutralOnTheLeft(BinaryOpType op, double value) {
    return (value == 0 && op == BinaryOpType::ADD) ||
           (value == 1 && op == BinaryOpType::MULTIPLY);
  }

  static bool isNeutralOnTheRight(BinaryOpType op, double value) {
    return isNeutralOnTheLeft(op, value) ||
           (value == 0 &&
            (op == BinaryOpType::SUBTRACT || op == BinaryOpType::SHIFT_LEFT ||
             op == BinaryOpType::SHIFT_RIGHT)) ||
           (value == 1 && op == BinaryOpType::DIVIDE);
  }

  Typed rewriteTernary(const popops::expr::TernaryOp &ternary) const {
    const Typed a = rewrite(ternary.getArg0()), b = rewrite(ternary.getArg1()),
                c = rewrite(ternary.getArg2());
    const auto *condition = c.expr->getAs<Const>();
    if (ternary.getOpType() == popops::expr::TernaryOpType::SELECT &&
        condition && condition->getType() == poplar::BOOL) {
      const bool first = condition->getDataAsDouble() != 0;
      // A constant would lose the sibling that determines its type.
      if (!(first ? a : b).expr->isA<Const>())
        return same(first ? a : b);
    }
    return {make<popops::expr::TernaryOp>(ternary.getOpType(), *a.expr, *b.expr,
                                          *c.expr),
            a.expr->isA<Const>() ? b.type : a.type};
  }

  const std::vector<Type> &operands_;
};

} // namespace

std::unique_ptr<Expr> rewriteExpr(const Expr &expr,
                                  const std::vector<Type> &operands) {
  return Rewriter(operands).rewrite(expr).expr;
}

} // namespace ipumodel
