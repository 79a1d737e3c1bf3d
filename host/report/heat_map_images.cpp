#include "host/report/heat_map_images.hpp"

#include "host/pictures/heat_map_picture.hpp"
#include "host/report/heat_map.hpp"
#include "host/report/history_reader.hpp"
#include "host/report/reported_run.hpp"

#include <limits>

namespace popscope::host {

namespace {

bool isShare(const std::string &statistic) {
  return statistic == "zero_share" || statistic == "saturated_share";
}

HeatMapValues valuesOf(const HeatMap &map, std::size_t statistic,
                       const std::vector<HeatMapRow> &rows,
                       const std::vector<TensorHistory> &tensors,
                       const UpdateColumns &columns) {
  const std::string name = kReportedStatistics[statistic];
  HeatMapValues values;
  values.isLogarithmic = !isShare(name);
  values.title =
      map.title + ": " + (values.isLogarithmic ? "log10 of " : "") + name;
  values.columns = columns.count();
  values.firstUpdate = columns.first();
  values.updatesPerColumn = columns.updatesPerColumn();
  values.values.assign(rows.size() * columns.count(),
                       std::numeric_limits<float>::quiet_NaN());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    values.rows.push_back(rows[row].label);
    for (const auto &[column, cell] : tensors[rows[row].tensor].cells) {
      float &value = values.values[row * columns.count() + column];
      if (!cell.sample.isFinite())
        value = std::numeric_limits<float>::infinity();
      else if (const auto recorded = cell.sample.values[statistic])
        value = *recorded;
    }
  }
  return values;
}

} // namespace

std::vector<HeatMapImage> drawHeatMaps(const std::filesystem::path &run,
                                       const text::JsonValue &manifest) {
  UpdateColumns columns;
  HistoryReader reader(run, tensorsOf(manifest, run.string()));
  reader.findUpdates(columns);
  if (columns.count() == 0)
    return {};
  const std::vector<TensorHistory> tensors = reader.read(columns);
  std::vector<HeatMapImage> images;
  for (const HeatMap &map : heatMaps()) {
    if (map.option.empty())
      continue;
    const std::vector<HeatMapRow> rows = rowsOf(map, tensors, manifest);
    if (const auto statistic = statisticOf(map, rows, tensors))
      images.push_back(
          {"heat_maps/" + map.id,
           drawHeatMap(valuesOf(map, *statistic, rows, tensors, columns))});
  }
  return images;
}

} // namespace popscope::host
