// Writers that are still open when the program calls std::exit, which destroys
// nothing that lives on a stack.
#pragma once

namespace popscope::summary {

class EventWriter;

// As long as it lives, its writer is flushed at exit. A member that is
// destroyed before those the flush needs.
class ExitFlush {
public:
  explicit ExitFlush(EventWriter &writer);
  ~ExitFlush();
  ExitFlush(const ExitFlush &) = delete;
  ExitFlush &operator=(const ExitFlush &) = delete;

private:
  EventWriter &writer_;
};

} // namespace popscope::summary
