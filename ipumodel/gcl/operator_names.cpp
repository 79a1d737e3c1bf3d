#include <gcl/Collectives.hpp>
#include <poputil/exceptions.hpp>

#include <istream>
#include <ostream>
#include <string>

namespace gcl {

namespace {

struct OperatorName {
  CollectiveOperator op;
  const char *name;
};

constexpr OperatorName kNames[] = {
    {CollectiveOperator::ADD, "ADD"},
    {CollectiveOperator::MEAN, "MEAN"},
    {CollectiveOperator::MUL, "MUL"},
    {CollectiveOperator::MIN, "MIN"},
    {CollectiveOperator::MAX, "MAX"},
    {CollectiveOperator::LOGICAL_AND, "LOGICAL_AND"},
    {CollectiveOperator::LOGICAL_OR, "LOGICAL_OR"},
    {CollectiveOperator::SQUARE_ADD, "SQUARE_ADD"},
    {CollectiveOperator::LOCAL, "LOCAL"},
};

} // namespace

std::ostream &operator<<(std::ostream &os, const CollectiveOperator &op) {
  for (const OperatorName &entry : kNames)
    if (entry.op == op)
      return os << entry.name;
  throw poputil::poplibs_error("There is no collective operator " +
                               std::to_string(static_cast<int>(op)));
}

std::istream &operator>>(std::istream &is, CollectiveOperator &op) {
  std::string token;
  is >> token;
  for (const OperatorName &entry : kNames)
    if (token == entry.name) {
      op = entry.op;
      return is;
    }
  throw poputil::poplibs_error("There is no collective operator '" + token +
                               "'");
}

} // namespace gcl
