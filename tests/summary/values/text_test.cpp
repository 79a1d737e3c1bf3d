#include "summary/proto/event.pb.h"
#include "summary/values/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::summary {
namespace {

using testing::ElementsAre;

proto::TensorProto tensorOf(const Value &value) {
  EXPECT_EQ(value.metadata.plugin, "text");
  proto::Summary::Value message;
  EXPECT_TRUE(message.ParseFromString(value.body));
  EXPECT_EQ(message.tensor().dtype(), proto::DT_STRING);
  return message.tensor();
}

TEST(Text, MarkdownIsASingleString) {
  const auto tensor = tensorOf(toValue(Markdown{"# Title\nü \xff"}));
  EXPECT_EQ(tensor.tensor_shape().dim_size(), 0);
  EXPECT_THAT(tensor.string_val(), ElementsAre("# Title\nü \xef\xbf\xbd"));
}

TEST(Text, TableWithoutHeaderIsATensorOfRankTwo) {
  const auto tensor =
      tensorOf(toValue(TextTable{{}, {{"a", "b", "c"}, {"d", "e", "f"}}}));
  ASSERT_EQ(tensor.tensor_shape().dim_size(), 2);
  EXPECT_EQ(tensor.tensor_shape().dim(0).size(), 2);
  EXPECT_EQ(tensor.tensor_shape().dim(1).size(), 3);
  EXPECT_THAT(tensor.string_val(), ElementsAre("a", "b", "c", "d", "e", "f"));
}

TEST(Text, TableWithHeaderIsMarkdownWhoseCellsCannotBreakIt) {
  const auto tensor = tensorOf(
      toValue(TextTable{{"name", "value"}, {{"a|b", "1\n2"}, {"c", ""}}}));
  EXPECT_THAT(tensor.string_val(), ElementsAre("| name | value |\n"
                                               "| --- | --- |\n"
                                               "| a\\|b | 1 2 |\n"
                                               "| c |  |\n"));
}

TEST(Text, RefusesRowsOfDifferentLength) {
  EXPECT_THROW(toValue(TextTable{{}, {{"a"}, {"b", "c"}}}),
               std::invalid_argument);
  EXPECT_THROW(toValue(TextTable{{"h"}, {{"b", "c"}}}), std::invalid_argument);
}

} // namespace
} // namespace popscope::summary
