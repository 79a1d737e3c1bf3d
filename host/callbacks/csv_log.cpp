#include "host/callbacks/csv_log.hpp"

#include "text/number_text.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

using summary::LineWriter;

std::unique_ptr<LineWriter> openLines(const fs::path &file, Epoch firstEpoch,
                                      const LineWriter::Options &options) {
  if (firstEpoch == Epoch(0))
    return std::make_unique<LineWriter>(file, LineWriter::Existing::replace,
                                        options);
  return std::make_unique<LineWriter>(
      file,
      [=](const std::string &line) {
        const bool isHeader = line.rfind("epoch", 0) == 0;
        return isHeader ||
               std::strtoul(line.c_str(), nullptr, 10) < firstEpoch.index();
      },
      options);
}

std::string headingOf(const MetricValues &metrics) {
  std::string heading = "epoch,learning_rate";
  for (const char *prefix : {"", "val_"})
    for (const Metric &metric : metrics)
      heading += std::string(",") + prefix + metric.name;
  return heading;
}

// Nine digits distinguish every float from its neighbours.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return std::isnan(value) ? "nan" : text; // whatever its sign
}

} // namespace

CsvLog::CsvLog(const fs::path &file, Epoch firstEpoch,
               const MetricValues &metrics, RunReport &report)
    : metrics_(metrics.size()), onLoss_(report.ofEpochs(0)),
      lines_(openLines(file, firstEpoch, {headingOf(metrics), onLoss_})) {}

void CsvLog::tellLosses() {
  if (!lines_->report().isWhole())
    onLoss_(lines_->report());
}

void CsvLog::epochEnd(const EpochResult &result) {
  std::string line = std::to_string(result.epoch.index()) + ',' +
                     text::shortestDecimal(float(result.learningRate));
  for (const Metric &metric : result.training)
    line += ',' + number(metric.value);
  for (std::size_t i = 0; i < metrics_; ++i) {
    line += ',';
    if (!result.validation.empty())
      line += number(result.validation[i].value);
  }
  lines_->append(summary::Step(result.epoch.index()), line);
  lines_->flush();
  tellLosses();
}

void CsvLog::trainEnd() {
  lines_->close();
  tellLosses();
}

} // namespace popscope::host
