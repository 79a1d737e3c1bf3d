// Functions that several files of the library use to make objects of a report.
#pragma once

#include "pva/report_data.hpp"

#include <pva/pva.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace ipumodel {

// Returns the class for the program's type.
std::shared_ptr<pva::Program> makeProgram(const pva::ReportData &report,
                                          std::size_t index);

// One element per tile of the target.
std::vector<std::uint64_t> cyclesByTile(const profile::Report &report,
                                        const profile::TileCycles &busy);

} // namespace ipumodel
