// How near do the convolutions and products of the presets, on one thread, come
// to what its multiply-add units can do?
#include "benchmarks/support/fma_peak.hpp"
#include "benchmarks/support/operator_bench.hpp"
#include "benchmarks/support/ratio.hpp"
#include "benchmarks/support/thread_choice.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include <functional>
#include <string>

using namespace poplar;
using benchmarks::Bench;
using benchmarks::Better;
using benchmarks::Suite;

namespace {

constexpr double kPeakFlops = 1e7; // of a call

void compare(const Suite &suite, const std::string &subject, double flops,
             const std::function<void(Bench &)> &add) {
  const std::string name = "peak/" + subject;
  if (!suite.wants(name))
    return;
  Bench bench;
  add(bench);
  // The first choice is one thread.
  const auto engines =
      benchmarks::forThreadChoices([&] { return bench.compile(); });
  const auto seconds = suite.time(
      {[&] { engines[0]->run(); }, [] { benchmarks::runFmaPeak(kPeakFlops); }});
  suite.report({name, flops / seconds[0], kPeakFlops / seconds[1],
                "multiply-adds in registers, flops of one thread",
                Better::higher, 0.85});
}

void convolutions(const Suite &suite, const std::string &layer,
                  const poplin::ConvParams &params, bool isFirst) {
  const auto flops = double(poplin::getFwdFlops(params));
  compare(suite, layer, flops, [&](Bench &b) {
    poplin::convolution(b.graph, b.filled(poplin::createInput(b.graph, params)),
                        b.filled(poplin::createWeights(b.graph, params)),
                        params, false, b.prog);
  });
  compare(suite, layer + "-weight-gradient", flops, [&](Bench &b) {
    poplin::calculateWeightDeltas(
        b.graph, b.filled(poplin::createConvOutput(b.graph, params)),
        b.filled(poplin::createInput(b.graph, params)), params, b.prog);
  });
  if (!isFirst) // whose input needs no gradient
    compare(suite, layer + "-input-gradient", flops, [&](Bench &b) {
      poplin::convolution(b.graph,
                          b.filled(poplin::createConvOutput(b.graph, params)),
                          b.filled(poplin::createWeights(b.graph, params)),
                          poplin::getGradientParams(params), true, b.prog);
    });
}

void products(const Suite &suite, const std::string &layer, std::size_t batch,
              std::size_t in, std::size_t out, bool isFirst) {
  const double flops = 2.0 * double(batch * in * out);
  compare(suite, layer, flops, [&](Bench &b) {
    poplin::matMul(b.graph, b.matrix(batch, in), b.matrix(in, out), b.prog);
  });
  compare(suite, layer + "-weight-gradient", flops, [&](Bench &b) {
    poplin::matMul(b.graph, b.matrix(batch, in).transpose(),
                   b.matrix(batch, out), b.prog);
  });
  if (!isFirst)
    compare(suite, layer + "-input-gradient", flops, [&](Bench &b) {
      poplin::matMul(b.graph, b.matrix(batch, out),
                     b.matrix(in, out).transpose(), b.prog);
    });
}

poplin::ConvParams conv(std::size_t batch, std::size_t field, std::size_t in,
                        std::size_t out) {
  return {FLOAT, batch, {field, field}, {3, 3}, in, out, 1};
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  convolutions(suite, "cnn-conv-0", conv(32, 28, 1, 32), true);
  convolutions(suite, "cnn-conv-1", conv(32, 13, 32, 64), false);
  convolutions(suite, "cnn-conv-2", conv(32, 5, 64, 32), false);
  convolutions(suite, "gmp-conv-0", conv(128, 28, 1, 16), true);
  convolutions(suite, "gmp-conv-1", conv(128, 26, 16, 32), false);
  products(suite, "mlp-256", 32, 784, 256, true);
  products(suite, "mlp-128", 32, 256, 128, false);
  products(suite, "fashion-32", 32, 784, 32, true);
  products(suite, "digits-100", 1347, 64, 100, true);
  products(suite, "digits-100-100", 1347, 100, 100, false);
}
