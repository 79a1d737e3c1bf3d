#include "summary/event_batch.hpp"

#include "summary/values/histogram.hpp"

namespace popscope::summary {

void EventBatch::add(const Tag &tag, const Histogram &histogram) {
  add(tag, toValue(histogram));
  if (histogram.nan + histogram.posInf + histogram.negInf == 0)
    return;
  add(tag / "nan", static_cast<float>(histogram.nan));
  add(tag / "pos_inf", static_cast<float>(histogram.posInf));
  add(tag / "neg_inf", static_cast<float>(histogram.negInf));
}

} // namespace popscope::summary
