#include "popops/expr/op_names.hpp"

#include <popops/Expr.hpp>
#include <poputil/exceptions.hpp>

#include <cstring>
#include <iomanip>
#include <sstream>

namespace popops {
using namespace ipumodel;

namespace expr {

namespace {

// Calls f with the constant as its C++ type.
template <class F> auto visitValue(const Const &constant, F &&f) {
  const auto as = [&](auto value) {
    std::memcpy(&value, constant.getData(), sizeof value);
    return f(value);
  };
  const poplar::TypeTraits &traits = constant.getTypeTraits();
  if (traits.isFloat) {
    if (traits.size == sizeof(double))
      return as(double());
    return as(float());
  }
  // NOLINTBEGIN(bugprone-branch-clone): the types differ
  switch (traits.size) {
  case 1:
    return traits.isSigned ? as(std::int8_t()) : as(std::uint8_t());
  case 2:
    return traits.isSigned ? as(std::int16_t()) : as(std::uint16_t());
  case 4:
    return traits.isSigned ? as(std::int32_t()) : as(std::uint32_t());
  case 8:
    return traits.isSigned ? as(std::int64_t()) : as(std::uint64_t());
  }
  // NOLINTEND(bugprone-branch-clone)
  throw poputil::poplibs_error("Constants of type " +
                               constant.getType().toString() +
                               " are not supported");
}

// C++ identifiers have no spaces.
std::string identifier(const poplar::Type &type) {
  std::string name = type.toString();
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

void indentBy(std::ostream &os, unsigned indent, bool prettyPrint) {
  if (prettyPrint)
    os << std::string(indent, ' ');
}

void printCall(std::ostream &os, unsigned indent, bool prettyPrint,
               const std::string &function,
               std::initializer_list<const Expr *> arguments) {
  indentBy(os, indent, prettyPrint);
  os << function << '(';
  const char *separator = prettyPrint ? "\n" : "";
  for (const Expr *argument : arguments) {
    os << separator;
    argument->print(os, indent + 2, prettyPrint);
    separator = prettyPrint ? ",\n" : ",";
  }
  os << ')';
}

} // namespace

Expr::~Expr() = default;

template <> void ExprType<Const>::loc() {}
template <> void ExprType<Cast>::loc() {}
template <> void ExprType<PlaceHolder>::loc() {}
template <> void ExprType<UnaryOp>::loc() {}
template <> void ExprType<BinaryOp>::loc() {}
template <> void ExprType<TernaryOp>::loc() {}

bool deepEquals(const Expr &a, const Expr &b) { return a.deepEquals(b); }

std::ostream &operator<<(std::ostream &os, const Expr &expr) {
  expr.print(os, 0, true);
  return os;
}

double Const::getDataAsDouble() const {
  return visitValue(*this, [](auto value) {
    const auto number = static_cast<double>(value);
    // 2^64 (2^63 if signed) is the only double that an integer may round to and
    // that does not convert back.
    if constexpr (sizeof value == 8 && std::is_integral_v<decltype(value)>)
      if (number >= 0x1p63 * (std::is_signed_v<decltype(value)> ? 1 : 2) ||
          static_cast<decltype(value)>(number) != value)
        throw poputil::poplibs_error("The constant " + std::to_string(value) +
                                     " is not exact as a double");
    return number;
  });
}

std::uint64_t Const::getDataForUnsignedIntegral() const {
  if (!typeTraits.isIntegral || typeTraits.isSigned)
    throw poputil::poplibs_error("The constant " + printValue() + " of type " +
                                 type.toString() +
                                 " is not an unsigned integer");
  return visitValue(
      *this, [](auto value) { return static_cast<std::uint64_t>(value); });
}

std::string Const::printValue() const {
  return visitValue(*this, [&](auto value) {
    if constexpr (std::is_integral_v<decltype(value)>) {
      return std::to_string(value);
    } else {
      std::ostringstream text;
      text << std::setprecision(9) << value;
      if (type != poplar::HALF)
        text << (text.str().find('.') == std::string::npos ? ".f" : "f");
      return text.str();
    }
  });
}

std::string Const::name(const std::vector<poplar::Tensor> &) const {
  std::string name = printValue();
  std::replace(name.begin(), name.end(), '.', 'z');
  std::replace(name.begin(), name.end(), '-', 'm');
  std::replace(name.begin(), name.end(), '+', 'p');
  return name;
}

std::string Cast::name(const std::vector<poplar::Tensor> &inputs) const {
  return "Cast_" + a->name(inputs) + "_" + identifier(bType);
}

std::string PlaceHolder::name(const std::vector<poplar::Tensor> &inputs) const {
  return identifier(inputs.at(index - 1).elementType()) + "_" +
         std::to_string(index) + "_";
}

std::string UnaryOp::name(const std::vector<poplar::Tensor> &inputs) const {
  return nameOf(type) + ("u_" + exprName(inputs)) + "_d";
}

std::string BinaryOp::name(const std::vector<poplar::Tensor> &inputs) const {
  return nameOf(type) + ("u_" + exprName(inputs)) + "_d";
}

std::string TernaryOp::name(const std::vector<poplar::Tensor> &inputs) const {
  return nameOf(type) + ("u_" + exprName(inputs)) + "_d";
}

bool Const::deepEquals(const Expr &other) const {
  const auto *that = other.getAs<Const>();
  return that && type == that->type &&
         std::memcmp(data.get(), that->data.get(), typeTraits.size) == 0;
}

bool Cast::deepEquals(const Expr &other) const {
  const auto *that = other.getAs<Cast>();
  return that && bType == that->bType && a->deepEquals(*that->a);
}

bool PlaceHolder::deepEquals(const Expr &other) const {
  const auto *that = other.getAs<PlaceHolder>();
  return that && index == that->index;
}

bool UnaryOp::deepEquals(const Expr &other) const {
  const auto *that = other.getAs<UnaryOp>();
  return that && type == that->type && a->deepEquals(*that->a);
}

bool BinaryOp::deepEquals(const Expr &other) const {
  const auto *that = other.getAs<BinaryOp>();
  return that && type == that->type && a->deepEquals(*that->a) &&
         b->deepEquals(*that->b);
}

bool TernaryOp::deepEquals(const Expr &other) const {
  const auto *that = other.getAs<TernaryOp>();
  return that && type == that->type && a->deepEquals(*that->a) &&
         b->deepEquals(*that->b) && c->deepEquals(*that->c);
}

void Const::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  indentBy(os, indent, prettyPrint);
  os << "Const(" << printValue() << ')';
}

void Cast::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  printCall(os, indent, prettyPrint, "Cast<" + bType.toString() + ">",
            {a.get()});
}

void PlaceHolder::print(std::ostream &os, unsigned indent,
                        bool prettyPrint) const {
  indentBy(os, indent, prettyPrint);
  os << '_' << index;
}

void UnaryOp::print(std::ostream &os, unsigned indent, bool prettyPrint) const {
  printCall(os, indent, prettyPrint, nameOf(type), {a.get()});
}

void BinaryOp::print(std::ostream &os, unsigned indent,
                     bool prettyPrint) const {
  printCall(os, indent, prettyPrint, nameOf(type), {a.get(), b.get()});
}

void TernaryOp::print(std::ostream &os, unsigned indent,
                      bool prettyPrint) const {
  printCall(os, indent, prettyPrint, nameOf(type), {a.get(), b.get(), c.get()});
}

} // namespace expr
} // namespace popops
