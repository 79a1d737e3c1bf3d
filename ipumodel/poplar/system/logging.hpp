// Log messages, filtered by POPLAR_LOG_LEVEL.
#pragma once

#include <fstream>
#include <iosfwd>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>

namespace ipumodel {

enum class LogLevel { trace, debug, info, warn, err, off };

// POPLAR_LOG_LEVEL is TRACE, DEBUG, INFO, WARN, ERR or OFF (default);
// POPLAR_LOG_DEST is stderr (default), stdout or the path of a file, which is
// overwritten. Thread-safe.
class Logger {
public:
  // Reads both variables on the first call. Throws invalid_option if one is
  // invalid.
  static Logger &ofProcess();

  Logger(LogLevel level, const std::string &destination);

  bool isOn(LogLevel level) const {
    return level >= level_ && level != LogLevel::off;
  }
  void write(LogLevel level, std::string_view message);

private:
  const LogLevel level_;
  std::mutex mutex_; // guards the members below
  std::ofstream file_;
  std::ostream *out_;
};

// Writes the parts one after the other. If the level is off, this costs one
// comparison.
template <class... Parts> void log(LogLevel level, const Parts &...parts) {
  Logger &logger = Logger::ofProcess();
  if (!logger.isOn(level))
    return;
  std::ostringstream message;
  (message << ... << parts);
  logger.write(level, message.str());
}

} // namespace ipumodel
