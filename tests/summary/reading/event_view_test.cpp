#include "summary/proto/event.pb.h"
#include "summary/reading/event_view.hpp"

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>
#include <random>

namespace popscope::summary {
namespace {

TEST(EventView, FindsEveryField) {
  proto::Event event;
  event.set_wall_time(12.5);
  event.set_step(-3);
  event.mutable_source_metadata()->set_writer("me");
  auto *scalar = event.mutable_summary()->add_value();
  scalar->set_tag("a");
  scalar->set_simple_value(2.5F);
  auto *tensor = event.mutable_summary()->add_value();
  tensor->set_tag("b");
  tensor->mutable_tensor()->add_float_val(1);
  auto *metadata = tensor->mutable_metadata();
  metadata->mutable_plugin_data()->set_plugin_name("images");
  metadata->mutable_plugin_data()->set_content("c");
  metadata->set_display_name("d");
  metadata->set_summary_description("e");
  metadata->set_data_class(proto::DATA_CLASS_TENSOR);
  const std::string bytes = event.SerializeAsString();

  const auto view = EventView::parse(bytes);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->wallTime, 12.5);
  EXPECT_EQ(view->step, -3);
  EXPECT_EQ(view->writer, "me");
  ASSERT_EQ(view->kind, EventKind::summary);
  ValueCursor values(*view);
  const auto first = values.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->tag, "a");
  EXPECT_EQ(first->form, ValueView::Form::simpleValue);
  EXPECT_EQ(first->simpleValue, 2.5F);
  EXPECT_TRUE(first->metadata.empty());
  const auto second = values.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->form, ValueView::Form::tensor);
  EXPECT_EQ(second->content, tensor->tensor().SerializeAsString());
  const auto found = MetadataView::parse(second->metadata);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->plugin, "images");
  EXPECT_EQ(found->content, "c");
  EXPECT_EQ(found->displayName, "d");
  EXPECT_EQ(found->description, "e");
  EXPECT_EQ(found->dataClass, std::uint64_t(proto::DATA_CLASS_TENSOR));
  EXPECT_FALSE(values.next());
  EXPECT_FALSE(values.failed());
}

TEST(EventView, KnowsEveryKindOfEvent) {
  proto::Event event;
  const auto kind = [&event] {
    const std::string bytes = event.SerializeAsString();
    return EventView::parse(bytes)->kind;
  };
  EXPECT_EQ(kind(), EventKind::none);
  event.set_file_version("brain.Event:2");
  EXPECT_EQ(kind(), EventKind::fileVersion);
  event.set_graph_def("g");
  EXPECT_EQ(kind(), EventKind::graphDef);
  event.set_meta_graph_def("m");
  EXPECT_EQ(kind(), EventKind::metaGraphDef);
  event.mutable_session_log();
  EXPECT_EQ(kind(), EventKind::sessionLog);
  event.mutable_tagged_run_metadata();
  EXPECT_EQ(kind(), EventKind::taggedRunMetadata);
}

// Whatever the bytes, the view and protobuf's parser agree on whether they are
// a message; where both read one, they read the same.
TEST(EventView, AgreesWithProtobufOnDamagedBytes) {
  proto::Event event;
  event.set_wall_time(1e9);
  event.set_step(300);
  auto *value = event.mutable_summary()->add_value();
  value->set_tag("tag");
  value->set_simple_value(1);
  const std::string whole = event.SerializeAsString();
  std::mt19937 random(7);
  const google::protobuf::LogSilencer quiet;
  int parsed = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string bytes = whole;
    for (int i = 0; i < 2; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    bytes.resize(random() % (bytes.size() + 1));
    proto::Event other;
    if (!other.ParseFromString(bytes))
      continue;
    const auto view = EventView::parse(bytes);
    if (!view)
      continue; // groups and the like, which only protobuf skips
    ++parsed;
    if (view->wallTime == view->wallTime) {
      ASSERT_EQ(view->wallTime, other.wall_time());
    }
    ASSERT_EQ(view->step, other.step());
  }
  EXPECT_GT(parsed, 1000);
}

TEST(EventView, RefusesWhatIsNoMessage) {
  EXPECT_FALSE(
      EventView::parse("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"));
  EXPECT_FALSE(EventView::parse("\x09"
                                "1234")); // a double cut short
  EXPECT_FALSE(EventView::parse("\x2a\x05"
                                "abc")); // a field longer than all
  EXPECT_FALSE(EventView::parse(std::string("\x00\x01", 2))); // field zero
  EXPECT_TRUE(EventView::parse(""));
}

TEST(ValueCursor, SkipsTheScalarThatIsExpectedAndNoOther) {
  proto::Event event;
  for (const char *tag : {"loss", "loss/test", "a"}) {
    auto *value = event.mutable_summary()->add_value();
    value->set_tag(tag);
    value->set_simple_value(1);
  }
  const std::string payload = event.SerializeAsString();
  const auto view = EventView::parse(payload);
  ValueCursor values(*view);
  EXPECT_FALSE(values.skipScalar("lost"));
  EXPECT_FALSE(values.skipScalar("los"));
  EXPECT_FALSE(values.skipScalar(""));
  EXPECT_TRUE(values.skipScalar("loss"));
  EXPECT_TRUE(values.skipScalar("loss/test"));
  EXPECT_EQ(values.next()->tag, "a");
  EXPECT_FALSE(values.skipScalar("a"));
  EXPECT_FALSE(values.failed());
}

TEST(ValueCursor, LeavesScalarsWithLongTagsToNext) {
  for (const std::size_t length : {120u, 121u}) {
    const std::string tag(length, 'x');
    proto::Event event;
    auto *value = event.mutable_summary()->add_value();
    value->set_tag(tag);
    value->set_simple_value(1);
    const std::string payload = event.SerializeAsString();
    const auto view = EventView::parse(payload);
    EXPECT_EQ(ValueCursor(*view).skipScalar(tag), length == 120);
    EXPECT_EQ(ValueCursor(*view).next()->tag, tag);
  }
}

} // namespace
} // namespace popscope::summary
