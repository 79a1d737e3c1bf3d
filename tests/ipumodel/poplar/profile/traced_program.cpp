// A program with trace points, for trace_test.
#include <pvti/pvti.hpp>

#include <thread>

int main() {
  pvti::TraceChannel channel = {"test"};
  const pvti::Metadata metadata = pvti::createJsonMetadata("{\"answer\":42}");
  pvti::Tracepoint whole(&channel, "say \"hello\" twice", 11, &metadata);
  pvti::Graph graph("Loss", "bits");
  pvti::Series series = graph.addSeries("train");
  for (const double loss : {2.5, 1.25})
    series.add(loss);
  std::thread([&] { pvti::Tracepoint scope(&channel, "in a thread"); }).join();
  pvti::Tracepoint::begin(&channel, "step");
  pvti::Tracepoint::event(&channel, "now");
  pvti::Tracepoint::end(&channel, "step");
  return pvti::checkTracingEnabled() ? 0 : 3;
}
