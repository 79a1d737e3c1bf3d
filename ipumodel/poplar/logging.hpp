// Messages for people, as far as POPLAR_LOG_LEVEL asks for them.
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
// then overwritten. Any thread may write.
class Logger {
public:
  // Reads both variables at the first call. Throws invalid_option if one is
  // no good.
  static Logger &ofProcess();

  Logger(LogLevel level, const std::string &destination);

  bool isOn(LogLevel level) const {
    return level >= level_ && level != LogLevel::off;
  }
  void write(LogLevel level, std::string_view message);

private:
  const LogLevel level_;
  std::mutex mutex_; // guards what follows
  std::ofstream file_;
  std::ostream *out_;
};

// Writes the parts one after the other; costs a comparison if the level is
// off.
template <class... Parts> void log(LogLevel level, const Parts &...parts) {
  Logger &logger = Logger::ofProcess();
  if (!logger.isOn(level))
    return;
  std::ostringstream message;
  (message << ... << parts);
  logger.write(level, message.str());
}

} // namespace ipumodel
