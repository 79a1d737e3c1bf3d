#include <popops/OperationDefUtil.hpp>

#include <gtest/gtest.h>
#include <sstream>

using popops::Operation;

namespace {

constexpr Operation kAll[] = {Operation::ADD,         Operation::MUL,
                              Operation::MIN,         Operation::MAX,
                              Operation::LOGICAL_AND, Operation::LOGICAL_OR,
                              Operation::SQUARE_ADD,  Operation::LOG_ADD};

TEST(OperationNames, InVerticesAreQualifiedEnumerators) {
  for (const Operation op : kAll) {
    std::ostringstream name;
    name << op;
    EXPECT_EQ(poputil::templateVertex("Reduce", op, true),
              "Reduce<popops::Operation::" + name.str() + ",true>");
  }
}

TEST(OperationNames, AreWordsInMessages) {
  EXPECT_STREQ(poputil::asString(Operation::ADD), "Add");
  EXPECT_STREQ(poputil::asString(Operation::LOGICAL_OR), "Logical Or");
  EXPECT_STREQ(poputil::asString(Operation::LOG_ADD), "Log Add");
  EXPECT_THROW(poputil::asString(static_cast<Operation>(99)),
               poputil::poplibs_error);
}

} // namespace
