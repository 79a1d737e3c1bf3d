#include "host/command.hpp"
#include "host/report/report_json.hpp"
#include "host/report/report_page.hpp"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"
#include "tests/host/report/written_run.hpp"

#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>

namespace popscope::host {
namespace {

using graph::TensorKind;
using testing::HasSubstr;
using tests::tapOf;
using tests::WrittenRun;

std::string pageOf(const std::vector<std::string> &runs) {
  std::ostringstream out;
  writeReportPage(out, collectReport(runs));
  return out.str();
}

// What the page has for its script.
text::JsonValue dataOf(const std::string &page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return text::parseJson(
      page.substr(from, page.find("</script>", from) - from));
}

std::string refusal(const std::vector<std::string> &runs) {
  try {
    collectReport(runs);
  } catch (const BadInput &error) {
    return error.what();
  }
  return "";
}

TEST(ReportPage, HasEveryScalarOfTheEventFileToTheBit) {
  const outfeed::Tap tap = tapOf("conv_0_acts", TensorKind::activation);
  WrittenRun run({tap});
  std::mt19937 random(1);
  std::lognormal_distribution<float> magnitudes(0, 8);
  WrittenRun::Updates updates;
  for (int update = 0; update < 50; ++update)
    updates.push_back({magnitudes(random), -magnitudes(random), 0});
  updates[7][1] = std::numeric_limits<float>::infinity();
  run.write(0, 0, updates);
  const text::JsonValue data = dataOf(pageOf({run.path().string()}));
  const text::JsonValue &tensor =
      data["runs"].items().at(0)["tensors"].items().at(0);
  EXPECT_EQ(tensor["first_not_finite"].numberOr(-1), 7);
  ASSERT_EQ(tensor["cells"].items().size(), updates.size());

  std::size_t compared = 0;
  summary::RunReader reader(run.path());
  while (const auto event = reader.next())
    for (summary::ValueCursor values(*event); const auto value = values.next();)
      for (std::size_t place = 0; place < kReportedStatistics.size(); ++place) {
        if (value->tag != std::string("tapped_activations/conv_0_acts/") +
                              kReportedStatistics[place])
          continue;
        const text::JsonValue &cell =
            tensor["cells"].items().at(std::size_t(event->step));
        EXPECT_EQ(cell.items().at(1).numberOr(-1), double(event->step));
        const text::JsonValue &number = cell.items().at(2).items().at(place);
        const double expected = *decodeScalar(*value);
        if (std::isfinite(expected))
          EXPECT_EQ(float(number.numberOr(-1)), float(expected));
        else
          EXPECT_EQ(number.stringOr(""),
                    expected > 0 ? "Infinity" : "-Infinity");
        ++compared;
      }
  EXPECT_GE(compared, 7 * updates.size());
}

TEST(ReportPage, HasTheElementsOfEveryHistogram) {
  WrittenRun run({tapOf("conv_0_acts", TensorKind::activation)});
  run.write(0, 0, {{0, 1, -3}});
  const text::JsonValue data = dataOf(pageOf({run.path().string()}));
  const auto &histogram = data["runs"]
                              .items()[0]["tensors"]
                              .items()[0]["cells"]
                              .items()[0]
                              .items()
                              .at(3)
                              .items();
  EXPECT_EQ(histogram.at(0).numberOr(-9), 1); // 2 <= 3 < 4
  EXPECT_EQ(histogram.at(1).items().at(0).numberOr(-1), 1);
  EXPECT_EQ(histogram.at(1).items().at(1).numberOr(-1), 1);
  EXPECT_EQ(histogram.at(3).numberOr(-1), 1);
}

TEST(ReportPage, HasTheFateOfTheElementsInEveryFormat) {
  WrittenRun run({tapOf("conv_0_acts", TensorKind::activation)});
  run.write(0, 0, {{0, 1, -3e5f, 100}});
  const text::JsonValue data = dataOf(pageOf({run.path().string()}));
  const auto &fates = data["runs"]
                          .items()[0]["tensors"]
                          .items()[0]["cells"]
                          .items()[0]
                          .items()
                          .at(3)
                          .items()
                          .at(5)
                          .items();
  ASSERT_EQ(fates.size(), data["formats"].items().size());
  const std::vector<double> saturated = {1, 0, 1, 1}; // of three
  for (std::size_t i = 0; i < fates.size(); ++i)
    for (const text::JsonValue &bound : fates[i].items().at(0).items())
      EXPECT_EQ(bound.numberOr(-1), saturated.at(i))
          << data["formats"].items()[i]["name"].stringOr("");
}

TEST(ReportPage, TakesNoNameForMarkup) {
  WrittenRun run({});
  const std::string evil = "</script><img src=x onerror=alert(1)><!--";
  run.describe("{\"watched\": true, \"lines\": [" + text::jsonString(evil) +
               "]}");
  {
    summary::EventWriter writer(run.path().string());
    writer.scalar(summary::Tag("tapped_gradients/" + evil + "/l2_norm"),
                  summary::Step(0), 1.0f);
    writer.text(summary::Tag("fired/" + evil), summary::Step(0), evil);
    (void)writer.close();
  }
  const std::string page = pageOf({run.path().string()});
  EXPECT_EQ(page.find(evil), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  const text::JsonValue data = dataOf(page);
  EXPECT_EQ(
      data["runs"].items()[0]["tensors"].items().at(0)["tag"].stringOr(""),
      evil);
}

TEST(ReportPage, NeedsNothingFromElsewhere) {
  WrittenRun run({tapOf("conv_0_acts", TensorKind::activation)});
  run.write(0, 0, {{0, 1, -3}});
  const std::string page = pageOf({run.path().string()});
  const auto has = [&page](const char *text) {
    return page.find(text) != std::string::npos;
  };
  EXPECT_TRUE(has("default-src 'none'"));
  for (const char *const text :
       {"{{style}}", "{{data}}", "{{script}}", "innerHTML", " src=", "url(",
        "@import", "fetch("})
    EXPECT_FALSE(has(text)) << text;
}

TEST(ReportPage, RunsShareTheAxisAndHaveNamesOfTheirOwn) {
  const std::vector<outfeed::Tap> taps = {
      tapOf("conv_0_acts", TensorKind::activation)};
  WrittenRun a(taps), b(taps);
  a.write(0, 0, {{1}, {2}});
  b.write(0, 4, {{3}});
  const text::JsonValue data =
      dataOf(pageOf({a.path().string(), b.path().string() + "/"}));
  EXPECT_EQ(data["columns"]["count"].numberOr(0), 5);
  EXPECT_EQ(data["runs"].items().at(0)["name"].stringOr(""),
            a.path().filename().string());
  EXPECT_EQ(data["runs"].items().at(1)["name"].stringOr(""),
            b.path().filename().string());
  EXPECT_EQ(data["runs"]
                .items()[1]["tensors"]
                .items()[0]["cells"]
                .items()[0]
                .items()[0]
                .numberOr(-1),
            4);
}

TEST(ReportPage, RefusesWhatIsNoRunOrHasNothingToShow) {
  const WrittenRun run({});
  const std::string path = run.path().string();
  EXPECT_THAT(refusal({path + "/none"}), HasSubstr("no popscope.json"));
  EXPECT_THAT(refusal({path}), HasSubstr(path + ": nothing to show"));
  EXPECT_THAT(refusal({path, path + "/."}), HasSubstr("is named twice"));
}

} // namespace
} // namespace popscope::host
