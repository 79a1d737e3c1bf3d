// When a tap is due. The device decides by this function and the host foresees
// what the device decides, so both include it.
#pragma once

namespace popscope {

// Updates from, from + every, ... up to and including until, and those listed.
// `every` 0 stands for the list alone.
struct SchedulePeriod {
  unsigned every;
  unsigned from;
  unsigned until;
};

inline bool isDueByPeriod(const SchedulePeriod &period, unsigned update) {
  return period.every != 0 && update >= period.from && update <= period.until &&
         (update - period.from) % period.every == 0;
}

inline bool isDue(const SchedulePeriod &period, const unsigned *listed,
                  unsigned count, unsigned update) {
  bool due = isDueByPeriod(period, update);
  for (unsigned i = 0; i < count; ++i)
    due |= listed[i] == update;
  return due;
}

} // namespace popscope
