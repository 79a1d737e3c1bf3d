#include "popops/expr/expr_types.hpp"

#include <poputil/exceptions.hpp>

#include <optional>
#include <sstream>

namespace ipumodel {

namespace {

using poplar::Type;
using popops::expr::Expr;
using poputil::poplibs_error;
using MaybeType = std::optional<Type>;
// Constants whose type is not known yet.
using Pending = std::vector<const Expr *>;

std::string text(const Expr &expr) {
  std::ostringstream os;
  expr.print(os, 0, false);
  return os.str();
}

class Inference {
public:
  explicit Inference(const std::vector<Type> &operands) : operands_(operands) {}

  ExprTypes run(const Expr &root) {
    Pending pending;
    const MaybeType type = infer(root, pending);
    if (!type || !pending.empty())
      throw poplibs_error("Could not infer the types in expression " +
                          text(root));
    types_.result = *type;
    return std::move(types_);
  }

private:
  MaybeType infer(const Expr &expr, Pending &pending) {
    if (expr.isA<popops::expr::Const>()) {
      pending.push_back(&expr);
      return std::nullopt;
    }
    if (const auto *p = expr.getAs<popops::expr::PlaceHolder>())
      return operandOf(*p, operands_);
    if (const auto *cast = expr.getAs<popops::expr::Cast>()) {
      inferClosed(expr, [&](Pending &inner) { infer(cast->getLHS(), inner); });
      return cast->getRHSType();
    }
    if (const auto *unary = expr.getAs<popops::expr::UnaryOp>()) {
      if (!yieldsBool(unary->getOpType()))
        return infer(unary->getArg(), pending);
      inferClosed(expr, [&](Pending &inner) { infer(unary->getArg(), inner); });
      return poplar::BOOL;
    }
    if (const auto *binary = expr.getAs<popops::expr::BinaryOp>()) {
      if (!yieldsBool(binary->getOpType()))
        return inferPair(expr, binary->getLHS(), binary->getRHS(), pending);
      inferClosed(expr, [&](Pending &inner) {
        inferPair(expr, binary->getLHS(), binary->getRHS(), inner);
      });
      return poplar::BOOL;
    }
    const auto *ternary = expr.getAs<popops::expr::TernaryOp>();
    if (!ternary)
      throw poplibs_error("Unknown kind of expression");
    return ternary->getOpType() == popops::expr::TernaryOpType::SELECT
               ? inferSelect(*ternary, pending)
               : inferClamp(*ternary, pending);
  }

  // A part whose type is independent of the expression around it.
  template <class F> static void inferClosed(const Expr &expr, F &&inferPart) {
    Pending pending;
    inferPart(pending);
    if (!pending.empty())
      throw poplibs_error("Could not infer the type of a constant in " +
                          text(expr));
  }

  void settle(Pending &pending, const Type &type) {
    for (const Expr *constant : pending)
      types_.constants.emplace(constant, type);
    pending.clear();
  }

  MaybeType inferPair(const Expr &expr, const Expr &lhs, const Expr &rhs,
                      Pending &pending) {
    const MaybeType left = infer(lhs, pending), right = infer(rhs, pending);
    if (left && right && *left != *right)
      throw poplibs_error("The operands of " + text(expr) +
                          " have different types: " + left->toString() +
                          " and " + right->toString());
    const MaybeType type = left ? left : right;
    if (type)
      settle(pending, *type);
    return type;
  }

  MaybeType inferSelect(const popops::expr::TernaryOp &select,
                        Pending &pending) {
    const Expr &condition = select.getArg2();
    MaybeType conditionType;
    if (const auto *constant = condition.getAs<popops::expr::Const>()) {
      conditionType = constant->getType();
      types_.constants.emplace(&condition, *conditionType);
    } else {
      conditionType = infer(condition, pending);
    }
    if (!conditionType || *conditionType != poplar::BOOL)
      throw poplibs_error(
          "The condition of " + text(select) + " is not BOOL" +
          (conditionType ? " but " + conditionType->toString() : ""));
    const MaybeType type =
        inferPair(select, select.getArg0(), select.getArg1(), pending);
    if (type)
      return type;
    // For two constants, their C++ types decide.
    const auto *a = select.getArg0().getAs<popops::expr::Const>();
    const auto *b = select.getArg1().getAs<popops::expr::Const>();
    if (!a || !b)
      return std::nullopt;
    if (a->getType() != b->getType())
      throw poplibs_error("The operands of " + text(select) +
                          " have different types: " + a->getType().toString() +
                          " and " + b->getType().toString());
    settle(pending, a->getType());
    return a->getType();
  }

  MaybeType inferClamp(const popops::expr::TernaryOp &clamp, Pending &pending) {
    const MaybeType type = infer(clamp.getArg0(), pending);
    if (!type)
      throw poplibs_error("Could not infer the type of the first operand of " +
                          text(clamp));
    for (const Expr *limit : {&clamp.getArg1(), &clamp.getArg2()}) {
      const MaybeType limitType = infer(*limit, pending);
      if (limitType && *limitType != *type)
        throw poplibs_error("The operands of " + text(clamp) +
                            " have different types: " + type->toString() +
                            " and " + limitType->toString());
      settle(pending, *type);
    }
    return type;
  }

  const std::vector<Type> &operands_;
  ExprTypes types_;
};

} // namespace

void throwNoOperand(unsigned index) {
  throw poplibs_error("There is no tensor for placeholder _" +
                      std::to_string(index));
}

bool yieldsBool(popops::expr::UnaryOpType op) {
  using Op = popops::expr::UnaryOpType;
  return op == Op::IS_FINITE || op == Op::IS_INF || op == Op::IS_NAN ||
         op == Op::LOGICAL_NOT;
}

bool yieldsBool(popops::expr::BinaryOpType op) {
  using Op = popops::expr::BinaryOpType;
  switch (op) {
  case Op::EQUAL:
  case Op::NOT_EQUAL:
  case Op::LESS_THAN:
  case Op::LESS_THAN_EQUAL:
  case Op::GREATER_THAN:
  case Op::GREATER_THAN_EQUAL:
  case Op::LOGICAL_AND:
  case Op::LOGICAL_OR:
    return true;
  default:
    return false;
  }
}

ExprTypes inferTypes(const Expr &expr, const std::vector<Type> &operands) {
  return Inference(operands).run(expr);
}

} // namespace ipumodel
