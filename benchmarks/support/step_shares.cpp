#include "benchmarks/support/step_shares.hpp"

#include "benchmarks/support/training_engine.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

namespace benchmarks {

namespace {

// Sets an environment variable until the end of the scope.
class Setting {
public:
  Setting(const char *variable, const std::string &value)
      : variable_(variable) {
    if (const char *given = std::getenv(variable))
      before_ = given;
    setenv(variable, value.c_str(), 1);
  }
  Setting(const Setting &) = delete;
  Setting &operator=(const Setting &) = delete;
  ~Setting() {
    if (before_.empty())
      unsetenv(variable_);
    else
      setenv(variable_, before_.c_str(), 1);
  }

private:
  const char *variable_;
  std::string before_;
};

} // namespace

std::vector<StepShare> stepShares(const popscope::graph::TrainingSpec &spec,
                                  std::size_t steps) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() /
      ("step_shares_" + std::to_string(getpid()));
  {
    const Setting alone("IPUMODEL_FUSION", "0");
    const Setting times("IPUMODEL_STEP_TIMES", file);
    TrainingEngine engine(spec, TrainingEngine::Watcher());
    for (std::size_t i = 0; i < steps; ++i)
      engine.step();
  }
  std::map<std::string, double> sums;
  std::ifstream in(file);
  double share = 0, seconds = 0;
  std::string kind, name;
  while (in >> share >> seconds >> kind && std::getline(in, name))
    sums[kind] += share;
  std::filesystem::remove(file);
  std::vector<StepShare> shares;
  for (const auto &[operation, sum] : sums)
    shares.push_back({operation, sum});
  std::sort(
      shares.begin(), shares.end(),
      [](const StepShare &a, const StepShare &b) { return a.share > b.share; });
  return shares;
}

} // namespace benchmarks
