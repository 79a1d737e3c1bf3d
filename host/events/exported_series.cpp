#include "host/events/exported_series.hpp"

#include "host/events/decoded_value.hpp"
#include "host/events/text_output.hpp"

#include <algorithm>

namespace popscope::host::events {

namespace {

constexpr const char *kLineEnd = "\r\n"; // of CSV, also TensorBoard's

std::string csvStart(Moment moment) {
  return pythonNumber(moment.wallTime) + "," + std::to_string(moment.step) +
         ",";
}

std::string jsonStart(Moment moment) {
  return "[" + jsonNumber(moment.wallTime) + ", " +
         std::to_string(moment.step) + ", ";
}

void addScalar(ExportedSeries &series, Moment moment, double value) {
  series.csvLines.push_back(csvStart(moment) + pythonNumber(value));
  series.jsonPoints.push_back(jsonStart(moment) + jsonNumber(value) + "]");
}

void addHistogram(ExportedSeries &series, Moment moment,
                  const Buckets &buckets) {
  std::string json;
  for (const auto &[left, right, count] : buckets) {
    series.csvLines.push_back(csvStart(moment) + pythonNumber(left) + "," +
                              pythonNumber(right) + "," + pythonNumber(count));
    json += (json.empty() ? "[" : ", [") + jsonNumber(left) + ", " +
            jsonNumber(right) + ", " + jsonNumber(count) + "]";
  }
  series.jsonPoints.push_back(jsonStart(moment) + "[" + json + "]]");
}

void addText(ExportedSeries &series, Moment moment,
             const std::vector<std::string> &texts) {
  std::string json;
  for (const std::string &text : texts) {
    series.csvLines.push_back(csvStart(moment) + csvCell(text));
    json += (json.empty() ? "" : ", ") + jsonString(text);
  }
  series.jsonPoints.push_back(jsonStart(moment) + "[" + json + "]]");
}

std::string columnsOf(const std::string &kind) {
  if (kind == "histograms")
    return "Wall time,Step,Left,Right,Count";
  return kind == "text" ? "Wall time,Step,Text" : "Wall time,Step,Value";
}

std::string jsonList(const ExportedSeries &series) {
  std::string list;
  for (const std::string &point : series.jsonPoints)
    list += (list.empty() ? "" : ", ") + point;
  return "[" + list + "]";
}

} // namespace

bool ExportedSeries::add(Moment moment, const summary::ValueView &value,
                         const std::string &kind) {
  if (kind == "histograms") {
    const auto buckets = histogramOf(value);
    if (buckets)
      addHistogram(*this, moment, *buckets);
    return buckets.has_value();
  }
  if (kind == "text") {
    const auto texts = textsOf(value);
    if (texts)
      addText(*this, moment, *texts);
    return texts.has_value();
  }
  const auto scalar = scalarOf(value);
  if (scalar)
    addScalar(*this, moment, *scalar);
  return scalar.has_value();
}

ExportedSeries &seriesIn(std::vector<ExportedSeries> &all,
                         const std::string &run, const std::string &tag) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto &one) {
    return one.run == run && one.tag == tag;
  });
  if (found != all.end())
    return *found;
  all.push_back({run, tag, {}, {}});
  return all.back();
}

std::string toCsv(const std::vector<ExportedSeries> &all,
                  const std::string &kind) {
  const bool isSingle = all.size() == 1;
  std::string text = (isSingle ? "" : "Run,Tag,") + columnsOf(kind) + kLineEnd;
  for (const ExportedSeries &series : all) {
    const std::string start =
        isSingle ? "" : csvCell(series.run) + "," + csvCell(series.tag) + ",";
    for (const std::string &line : series.csvLines)
      text += start + line + kLineEnd;
  }
  return text;
}

std::string toJson(const std::vector<ExportedSeries> &all) {
  if (all.size() == 1)
    return jsonList(all.front()) + "\n";
  std::string text = "{";
  const std::string *run = nullptr; // the series of a run lie together
  for (const ExportedSeries &series : all) {
    if (run == nullptr || *run != series.run)
      text += (run == nullptr ? "" : "}, ") + jsonString(series.run) + ": {";
    else
      text += ", ";
    run = &series.run;
    text += jsonString(series.tag) + ": " + jsonList(series);
  }
  return text + "}}\n";
}

} // namespace popscope::host::events
