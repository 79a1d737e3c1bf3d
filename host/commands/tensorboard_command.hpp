// popscope tensorboard: opens TensorBoard on a log.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

void addTensorboardCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
