// Which curves share a chart on TensorBoard's Custom Scalars page.
#pragma once

#include "outfeed/tap_plan.hpp"
#include "summary/values/scalar_layout.hpp"

#include <deque>

namespace popscope::host {

// Loss and accuracy of all sets; then, as far as they are tapped, the norms of
// all gradients, the zeros of all activations, and all updates relative to
// their weights. TensorBoard joins the layouts of several runs by the titles of
// categories: each chart of taps has its own, so that none is lost.
summary::ScalarLayout chartLayout(const std::deque<outfeed::Tap> &taps);

} // namespace popscope::host
