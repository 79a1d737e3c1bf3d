#include "host/terminal/progress.hpp"

namespace popscope::host {

void Progress::show(const std::string &label, std::size_t done,
                    std::size_t total) {
  const int percent = total == 0 ? 100 : int(100 * done / total);
  if (style_ == ProgressStyle::silent || percent == percent_)
    return;
  percent_ = percent;
  constexpr std::size_t kWidth = 30;
  const std::size_t filled = kWidth * std::size_t(percent) / 100;
  out_ << "\r\x1b[K" << label << " [" << std::string(filled, '=')
       << std::string(kWidth - filled, ' ') << "] " << percent << " %"
       << std::flush;
}

void Progress::clear() {
  if (style_ == ProgressStyle::line && percent_ >= 0)
    out_ << "\r\x1b[K" << std::flush;
  percent_ = -1;
}

} // namespace popscope::host
