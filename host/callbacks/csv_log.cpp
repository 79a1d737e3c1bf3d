#include "host/callbacks/csv_log.hpp"

#include "text/number_text.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace popscope::host {

namespace {

std::vector<std::string> linesBefore(const std::filesystem::path &file,
                                     Epoch epoch) {
  std::vector<std::string> kept;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line); // the header
  while (std::getline(in, line))
    if (std::strtoul(line.c_str(), nullptr, 10) < epoch.index())
      kept.push_back(line);
  return kept;
}

// Nine digits tell every float from its neighbours.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return std::isnan(value) ? "nan" : text; // whatever its sign
}

} // namespace

CsvLog::CsvLog(const std::filesystem::path &file, Epoch firstEpoch,
               const MetricValues &metrics)
    : file_(file.string()), metrics_(metrics.size()) {
  const std::vector<std::string> kept = linesBefore(file, firstEpoch);
  out_.open(file, std::ios::trunc);
  if (!out_)
    throw std::runtime_error("[host] " + file_ + ": cannot be written");
  out_ << "epoch,learning_rate";
  for (const char *prefix : {"", "val_"})
    for (const Metric &metric : metrics)
      out_ << ',' << prefix << metric.name;
  out_ << '\n';
  for (const std::string &line : kept)
    out_ << line << '\n';
  out_.flush();
}

void CsvLog::epochEnd(const EpochResult &result) {
  out_ << result.epoch.index() << ','
       << text::shortestDecimal(float(result.learningRate));
  for (const Metric &metric : result.training)
    out_ << ',' << number(metric.value);
  for (std::size_t i = 0; i < metrics_; ++i) {
    out_ << ',';
    if (!result.validation.empty())
      out_ << number(result.validation[i].value);
  }
  out_ << '\n';
  if (!out_.flush())
    throw std::runtime_error("[host] " + file_ + ": cannot be written");
}

} // namespace popscope::host
