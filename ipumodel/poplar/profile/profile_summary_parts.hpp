// The sections of a profile summary that have their own files, and helpers they
// share.
#pragma once

#include "poplar/options/engine_options.hpp"
#include "pva/report_data.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ipumodel {

void printMemory(std::ostream &os, const profile::Compilation &graph,
                 const SummarySettings &settings);
void printVariables(std::ostream &os, const profile::Compilation &graph);
void printExecution(std::ostream &os, const profile::Report &report);
void printSteps(std::ostream &os, const profile::Report &report);

std::uint64_t sum(const std::vector<std::uint64_t> &values);
std::uint64_t largest(const std::vector<std::uint64_t> &values);
constexpr std::size_t kTopTiles = 5;
// Indices of the largest values, descending; zeros are left out.
std::vector<std::size_t> topOf(const std::vector<std::uint64_t> &values,
                               std::size_t count);
// Mean over maximum: 100% if all tiles have the same load.
std::string balanceOf(const std::vector<std::uint64_t> &byTile);
// "  label:   value"
void printLine(std::ostream &os, const std::string &label,
               const std::string &value);

} // namespace ipumodel
