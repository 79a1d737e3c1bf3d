// Functions that several files of the library use to make objects of a report.
#pragma once

#include "pva/report_data.hpp"

#include <pva/pva.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace pva {

// Returns the class for the program's type.
std::shared_ptr<Program> makeProgram(const ReportData &report,
                                     std::size_t index);

// One element per tile of the target.
std::vector<std::uint64_t>
cyclesByTile(const ipumodel::profile::Report &report,
             const ipumodel::profile::TileCycles &busy);

} // namespace pva
