#include "outfeed/outfeed_queue.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace popscope::outfeed {

namespace {

TapOptions named(TapOptions options, const std::string &name) {
  options.name = name;
  return options;
}

} // namespace

OutfeedQueue::OutfeedQueue(std::string title, std::vector<std::string> filters,
                           const TapOptions &options)
    : filters_(std::move(filters)),
      session_({TapRule{}}, named(options, title)) {
  auto table = std::make_unique<EpochTable>(std::vector<EpochTable::Queue>{
      {std::move(title), [](const TensorTraits &) { return true; }}});
  table_ = table.get();
  session_.addSink(std::move(table));
}

bool OutfeedQueue::holds(const std::string &name) const {
  return filters_.empty() ||
         std::any_of(filters_.begin(), filters_.end(),
                     [&](const std::string &filter) {
                       return name.find(filter) != std::string::npos;
                     });
}

void OutfeedQueue::enqueue(poplar::Graph &graph,
                           poplar::program::Sequence &prog,
                           const graph::TapPoint &point) {
  if (holds(point.name))
    session_.visit(graph, prog, point);
}

void OutfeedQueue::endGroup(poplar::Graph &graph,
                            poplar::program::Sequence &prog,
                            graph::TapMoment moment) {
  session_.flush(graph, prog, moment);
}

void OutfeedQueue::connect(poplar::Engine &engine) {
  if (!session_.plan().taps().empty())
    session_.connect(engine);
}

void OutfeedQueue::epochEnd(std::ostream &out, unsigned epoch) {
  session_.sync();
  table_->print(out, epoch);
}

} // namespace popscope::outfeed
