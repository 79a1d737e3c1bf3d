#include "poplar/run/step_times.hpp"

#include "poplar/run/execution_state.hpp"

#include <fstream>
#include <iomanip>
#include <numeric>

namespace ipumodel {

void StepTimes::end() {
  const Clock::time_point now = Clock::now();
  if (current_ != kNone)
    seconds_[current_] += std::chrono::duration<double>(now - since_).count();
  current_ = kNone;
  since_ = now;
}

void StepTimes::write(const std::string &file,
                      const std::vector<Step> &steps) const {
  const double total = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
  std::ofstream out(file);
  out << std::fixed;
  for (std::size_t i = 0; i < seconds_.size(); ++i)
    if (seconds_[i] > 0)
      out << std::setprecision(4) << seconds_[i] / total << '\t'
          << std::setprecision(6) << seconds_[i] << '\t' << steps[i].kind
          << '\t' << steps[i].name << '\n';
}

} // namespace ipumodel
