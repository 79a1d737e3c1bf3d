#include <poplar/DebugContext.hpp>
#include <poplar/exceptions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

using namespace poplar;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

TEST(Exceptions, CarryTheNameOfTheirClass) {
  EXPECT_EQ(poplar_error("x").type, "poplar_error");
  EXPECT_EQ(graph_connection_error("x").type, "graph_connection_error");
  EXPECT_EQ(application_runtime_error("x").type, "application_runtime_error");
  EXPECT_EQ(unknown_vertex_type("V").type, "unknown_vertex_type");
  EXPECT_EQ(recoverable_runtime_error(RecoveryAction::IPU_RESET, "x").type,
            "recoverable_runtime_error");
}

TEST(Exceptions, KeepTheirMessage) {
  EXPECT_STREQ(type_error("message").what(), "message");
  EXPECT_STREQ(type_error(std::string("message")).what(), "message");
}

TEST(Exceptions, AreCaughtByTheirBases) {
  EXPECT_THROW(throw invalid_option("x"), poplar_error);
  EXPECT_THROW(throw invalid_option("x"), std::runtime_error);
  EXPECT_THROW(throw application_runtime_error("x"), poplar::runtime_error);
  EXPECT_THROW(throw unknown_runtime_error("x"), system_runtime_error);
  EXPECT_THROW(throw recoverable_runtime_error(RecoveryAction::FULL_RESET, "x"),
               system_runtime_error);
}

TEST(Exceptions, NameTheirCulprit) {
  EXPECT_THAT(unknown_vertex_type("ns::V<float>").what(),
              HasSubstr("ns::V<float>"));
  EXPECT_THAT(unknown_field("in").what(), HasSubstr("'in'"));
  EXPECT_THAT(unknown_field("in", "V").what(), HasSubstr("'V'"));
  EXPECT_THAT(index_error("V.in", 7).what(), HasSubstr("7"));
  EXPECT_THAT(index_error("V.in", 7).what(), HasSubstr("V.in"));
  EXPECT_THAT(graph_object_load_error("a.gp", "truncated").what(),
              HasSubstr("truncated"));
  EXPECT_THAT(file_load_error("a.gp").what(), HasSubstr("a.gp"));
  EXPECT_THAT(symbol_error("main", 3).what(), HasSubstr("main"));
}

TEST(Exceptions, CarryTheirPayload) {
  EXPECT_EQ(link_error("failed", "ld: undefined").output, "ld: undefined");
  EXPECT_EQ(link_error(std::string("failed")).output, "");
  EXPECT_EQ(recoverable_runtime_error(RecoveryAction::LINK_RESET, "x")
                .getRecoveryAction(),
            RecoveryAction::LINK_RESET);
  graph_memory_allocation_error memory("full");
  EXPECT_EQ(memory.profilePath, "");
}

TEST(Exceptions, ProfilingDisabledSaysSoByItself) {
  EXPECT_THAT(
      profiling_disabled().what(),
      testing::EndsWith("Profiling is disabled for current device type."));
}

TEST(Exceptions, SourceLocationComesFirstAndOnlyOnce) {
  const DebugContext here("x", SourceLocation("f", "model.cpp", 12));
  const DebugContext later("y", SourceLocation("g", "other.cpp", 99));
  type_error error("wrong type");
  error.attachSourceLocation(here);
  EXPECT_STREQ(error.what(), "model.cpp:12 wrong type");
  error.attachSourceLocation(later);
  EXPECT_STREQ(error.what(), "model.cpp:12 wrong type");
  const type_error copy = error;
  EXPECT_STREQ(copy.what(), error.what());
}

TEST(Exceptions, UnknownLocationChangesNothing) {
  type_error error("wrong type");
  error.attachSourceLocation(DebugContext(SourceLocation()));
  EXPECT_STREQ(error.what(), "wrong type");
}

} // namespace
