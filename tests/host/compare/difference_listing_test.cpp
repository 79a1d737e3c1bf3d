#include "host/compare/difference_listing.hpp"
#include "host/compare/difference_page.hpp"
#include "text/json_value.hpp"
#include "text/terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <string>

namespace popscope::host {
namespace {

using outfeed::Evidence;
using outfeed::TensorDifference;
using outfeed::Update;
using testing::HasSubstr;
using testing::Not;

TensorDifference tensorNamed(const std::string &name) {
  TensorDifference tensor;
  tensor.a.tag = tensor.b.tag = name;
  tensor.a.kind = tensor.b.kind = "gradient";
  tensor.a.dtype = tensor.b.dtype = "float";
  tensor.a.shape = tensor.b.shape = {3, 3, 512, 512};
  tensor.compared = 100000;
  tensor.proven = tensor.compared;
  tensor.cells = {0, 0};
  return tensor;
}

TensorDifference differing(TensorDifference tensor, std::uint32_t update,
                           double relativeL2) {
  outfeed::DifferenceAt at{Update(update), {}};
  at.difference.isSame = false;
  at.difference.relativeL2 = relativeL2;
  at.difference.cosine = 1 - relativeL2 * relativeL2 / 2;
  tensor.first = tensor.largest = at;
  tensor.differing = 40000;
  tensor.proven -= tensor.differing;
  tensor.cells = {0, float(relativeL2)};
  return tensor;
}

// The second tensor parts first.
ComparedRuns someRuns() {
  ComparedRuns runs;
  runs.a = "logs/a/directory/with/a/rather/long/name";
  runs.b = "logs/b/directory/with/a/rather/long/name";
  auto &difference = runs.difference;
  difference.commonUpdates = 100000;
  const std::string prefix = "encoder/block_11/attention/";
  difference.tensors = {
      differing(tensorNamed(prefix + "key/kernel:0_grad"), 70000, 0.25),
      differing(tensorNamed(prefix + "value/kernel:0_grad"), 60001, 1.2e-4),
      differing(tensorNamed(prefix + "query/kernel:0_grad"), 70000, 3e-9),
      tensorNamed(prefix + "query/bias:0_grad")};
  difference.first = 1;
  difference.a.tensorsOnlyHere = {"one", "two", "three", "four", "five"};
  return runs;
}

std::string listed(const ComparedRuns &runs, const ListingOptions &options) {
  std::ostringstream out;
  printListing(out, runs, options);
  return out.str();
}

TEST(DifferenceListing, FitsIntoATerminal) {
  ListingOptions options;
  options.terminalColumns = 80;
  std::istringstream lines(listed(someRuns(), options));
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(text::columnsOf(line), 80u) << line;
}

TEST(DifferenceListing, HasTensorsInTheOrderInWhichTheyPart) {
  const std::string text = listed(someRuns(), {});
  EXPECT_THAT(text, HasSubstr("first difference: update 60001, "
                              "encoder/block_11/attention/value/kernel:0_grad "
                              "(gradient, float [3,3,512,512]): relative L2 "
                              "0.00012, cosine 1 - 7e-9\n"));
  EXPECT_LT(text.rfind("/value/"), text.find("/key/"));
  EXPECT_LT(text.find("/key/"), text.find("/query/"));
  EXPECT_THAT(text, Not(HasSubstr("bias")));
  EXPECT_THAT(text, HasSubstr("1 of 4 tensors is the same at every update\n"));
  EXPECT_THAT(text, HasSubstr("only in A, not compared: one, two, three and 2 "
                              "more\n"));
}

TEST(DifferenceListing, SaysHowMuchItLeavesOut) {
  ListingOptions options;
  options.rows = 1;
  const std::string text = listed(someRuns(), options);
  EXPECT_THAT(text, Not(HasSubstr("/key/")));
  EXPECT_THAT(text, HasSubstr("2 more differ; --all lists them\n"));
  options.listsAll = true;
  EXPECT_THAT(listed(someRuns(), options), HasSubstr("bias"));
}

TEST(DifferenceListing, LowerBoundsAndInfinitiesAreToldApart) {
  ComparedRuns runs = someRuns();
  auto &first = runs.difference.tensors[1].first->difference;
  first.evidence = Evidence::statistics;
  first.cosine.reset();
  EXPECT_THAT(verdictOf(runs), testing::EndsWith("relative L2 >=0.00012"));
  first.relativeL2 = std::numeric_limits<double>::infinity();
  EXPECT_THAT(verdictOf(runs), HasSubstr("other numbers of NaN and infinity"));
}

TEST(DifferenceListing, IsJsonWithAllTensors) {
  std::ostringstream out;
  printJson(out, someRuns());
  const text::JsonValue json = text::parseJson(out.str());
  EXPECT_FALSE(json["same"].boolOr(true));
  EXPECT_EQ(json["tensors"].items().size(), 4u);
  EXPECT_EQ(json["first"]["first"]["update"].numberOr(0), 60001);
}

TEST(DifferencePage, NeedsNothingElseAndIsNotEndedByAName) {
  ComparedRuns runs = someRuns();
  runs.difference.tensors[0].a.tag = "</script><script>alert(1)</script>";
  std::ostringstream out;
  writeDifferencePage(out, runs);
  const std::string page = out.str();
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page,
              HasSubstr("\"cells\": \"0m\"")); // 0.25 is near 10^(-10 + 38/4)
}

} // namespace
} // namespace popscope::host
