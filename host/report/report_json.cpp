#include "host/report/report_json.hpp"

#include "host/pictures/color_map.hpp"
#include "host/report/heat_map.hpp"
#include "outfeed/health/number_format.hpp"
#include "text/json_object.hpp"
#include "text/number_text.hpp"

#include <cmath>
#include <cstdio>

namespace popscope::host {

namespace {

using text::jsonArray;
using text::JsonObject;
using text::jsonString;

std::string number(float value) {
  return std::isfinite(value) ? text::shortestDecimal(value)
                              : text::jsonNumber(double(value));
}

std::string number(const std::optional<float> &value) {
  return value ? number(*value) : "null";
}

std::string count(std::uint64_t value) { return std::to_string(value); }

std::string boolean(bool value) { return value ? "true" : "false"; }

std::string valuesJson(const RecordedSample &sample) {
  return jsonArray(sample.values, [](const std::optional<float> &value) {
    return number(value);
  });
}

// [saturated, subnormal, flushed], each the bounds of a count.
std::string fateJson(const outfeed::FormatHealth &health) {
  const outfeed::CountBounds bounds[] = {health.saturated, health.subnormal,
                                         health.flushed};
  return jsonArray(bounds, [](const outfeed::CountBounds &each) {
    return "[" + count(each.atLeast) + ", " + count(each.atMost) + "]";
  });
}

// [top, counts, below, zeros, update, fates in the formats].
std::string histogramJson(const RecordedCell &cell) {
  const ExponentHistogram &histogram = *cell.histogram;
  return "[" + std::to_string(histogram.top) + ", " +
         jsonArray(histogram.counts, count) + ", " + count(histogram.below) +
         ", " + count(histogram.zeros) + ", " + count(cell.histogramUpdate) +
         ", " + jsonArray(histogram.inFormats, fateJson) + "]";
}

// [column, update, values, histogram], without a histogram if there is none.
std::string cellJson(const std::pair<const std::size_t, RecordedCell> &entry) {
  const auto &[column, cell] = entry;
  return "[" + count(column) + ", " + count(cell.sample.update) + ", " +
         valuesJson(cell.sample) +
         (cell.histogram ? ", " + histogramJson(cell) : "") + "]";
}

std::string tensorJson(const TensorHistory &history) {
  const outfeed::TensorTraits &tensor = history.tensor;
  JsonObject object;
  object.string("tag", history.tag);
  object.string("name", tensor.name);
  object.string("kind", outfeed::nameOf(tensor.kind));
  object.string("at", outfeed::nameOf(tensor.moment));
  object.string("layer", std::string(tensor.layer()));
  object.string("type", tensor.dtype);
  object.add("shape", jsonArray(tensor.shape, count));
  object.count("stage", tensor.stage);
  object.count("samples", history.samples);
  object.count("not_finite", history.notFinite);
  object.add("first_not_finite",
             history.firstNotFinite ? count(*history.firstNotFinite) : "null");
  object.add("largest", number(history.largest));
  object.add("last", valuesJson(history.last));
  object.add("cells", jsonArray(history.cells, cellJson));
  return "\n" + object.text();
}

std::string curveJson(const Curve &curve) {
  JsonObject object;
  object.string("metric", curve.metric);
  object.string("set", curve.set);
  object.add("points", jsonArray(curve.points, [](const Curve::Point &point) {
               return "[" + text::jsonNumber(point.update) + ", " +
                      number(float(point.value)) + "]";
             }));
  return "\n" + object.text();
}

std::string alertJson(const Alert &alert) {
  JsonObject object;
  object.count("update", alert.update);
  object.string("kind", alert.kind);
  object.string("tensor", alert.tensor);
  object.string("text", alert.text);
  return object.text();
}

std::string rowsJson(const ReportedRun &run) {
  JsonObject object;
  for (const HeatMap &map : heatMaps())
    object.add(map.id, jsonArray(rowsOf(map, run.tensors, run.manifest),
                                 [](const HeatMapRow &row) {
                                   return "[" + jsonString(row.label) + ", " +
                                          count(row.tensor) + "]";
                                 }));
  return object.text();
}

// What the page tells of a run as it stands in popscope.json.
std::string settingsJson(const text::JsonValue &manifest) {
  JsonObject object;
  for (const char *const key :
       {"version", "engine", "device", "command_line", "model", "optimizer",
        "learning_rate_schedule", "batch_size", "gradient_accumulation",
        "loss_scale", "pipelined", "replicas", "precision", "epochs",
        "steps_per_epoch", "seed"})
    object.add(key, toJson(manifest[key]));
  return object.text();
}

std::string runJson(const ReportedRun &run) {
  JsonObject object;
  object.string("name", run.name);
  object.string("path", run.path);
  object.add("settings", settingsJson(run.manifest));
  object.add("curves", jsonArray(run.curves, curveJson));
  object.add("alerts", jsonArray(run.alerts, alertJson));
  object.add("health", toJson(run.manifest["health"]));
  object.add("findings",
             jsonArray(run.findings, [](const outfeed::Finding &finding) {
               return toJson(finding);
             }));
  object.add("checked_while_training", boolean(run.checkedWhileTraining));
  object.add("checked", jsonArray(run.checked, jsonString));
  object.add("not_checked", jsonArray(run.notChecked, jsonString));
  object.add("cost", toJson(run.manifest["cost"]));
  object.add("notes", jsonArray(run.notes, jsonString));
  object.add("rows", rowsJson(run));
  object.add("tensors", jsonArray(run.tensors, tensorJson));
  return "\n" + object.text();
}

std::string mapJson(const HeatMap &map) {
  JsonObject object;
  object.string("id", map.id);
  object.string("title", map.title);
  object.add("statistics", jsonArray(map.statistics, jsonString));
  object.string("option", map.option);
  return object.text();
}

std::string formatJson(const outfeed::NumberFormat &format) {
  JsonObject object;
  object.string("name", std::string(format.name));
  object.number("largest", format.largest);
  object.number("smallest_normal", format.smallestNormal());
  object.number("smallest", format.smallest());
  return object.text();
}

std::string colorsJson() {
  constexpr int kColors = 64;
  std::string json;
  for (int i = 0; i < kColors; ++i) {
    const Color color = viridis().at((i + 0.5) / kColors);
    const auto byte = [](double part) {
      return unsigned(std::lround(part * 255.0));
    };
    char text[16];
    std::snprintf(text, sizeof text, "\"#%02x%02x%02x\"", byte(color.red),
                  byte(color.green), byte(color.blue));
    json += (i == 0 ? "" : ", ") + std::string(text);
  }
  return "[" + json + "]";
}

} // namespace

std::string toJson(const Report &report) {
  JsonObject columns;
  columns.count("first", report.columns.first());
  columns.count("updates_per_column", report.columns.updatesPerColumn());
  columns.count("count", report.columns.count());
  JsonObject object;
  object.string("version", POPSCOPE_VERSION);
  object.add("columns", columns.text());
  object.add("statistics", jsonArray(kReportedStatistics, jsonString));
  object.add("formats", jsonArray(outfeed::kNumberFormats, formatJson));
  object.add("colors", colorsJson());
  object.add("maps", jsonArray(heatMaps(), mapJson));
  object.add("runs", jsonArray(report.runs, runJson));
  return object.text();
}

} // namespace popscope::host
