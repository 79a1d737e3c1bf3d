#include <poputil/DebugInfo.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/exceptions.hpp>

namespace poputil {
namespace graphfn {

using poplar::DebugContext;
using poplar::DebugNameAndId;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Call;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;

VoidFunction::VoidFunction(VoidFunction &&) noexcept = default;

VoidFunction::VoidFunction(
    Graph &graph, Signature sig,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): as it is declared
    std::function<void(Tensors &, Sequence &, const DebugNameAndId &)> f,
    bool inlined, const DebugContext &debugContext)
    : graph_(graph), sig_(std::move(sig)), inlined_(inlined),
      prog_(debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(inlined));
  for (const ArgSig &arg : sig_)
    params_.push_back(
        arg.type == CreatedArg
            ? Tensor()
            : graph.clone(arg.similarTensor, {di, arg.debugName}));
  f(params_, prog_, {di});
  if (!inlined)
    func_ = graph.addFunction(prog_);
}

VoidFunction::VoidFunction(Graph &graph, Signature sig,
                           std::function<void(Tensors &, Sequence &)> f,
                           bool inlined, const DebugContext &debugContext)
    : VoidFunction(
          graph, std::move(sig),
          [&f](Tensors &params, Sequence &prog, const DebugNameAndId &) {
            f(params, prog);
          },
          inlined, debugContext) {}

void VoidFunction::operator()(Tensors &args, Sequence &seq,
                              const DebugContext &dc) {
  if (args.size() != sig_.size())
    throw poplibs_error("Graph function of " + std::to_string(sig_.size()) +
                        " parameters called with " +
                        std::to_string(args.size()) + " arguments");
  PoplibsOpDebugInfo di(dc, DI_ARGS(args));
  for (std::size_t i = 0; i < args.size(); ++i)
    if (sig_[i].type == InputArg || sig_[i].type == InOutArg)
      seq.add(Copy(args[i], params_[i], false, {di}));
  if (inlined_)
    seq.add(prog_);
  else
    seq.add(Call(func_, {di}));
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (sig_[i].type == CreatedArg)
      args[i] = graph_.clone(params_[i], {di, sig_[i].debugName});
    if (sig_[i].type != InputArg)
      seq.add(Copy(params_[i], args[i], false, {di}));
  }
}

ProgramFunction::ProgramFunction(Graph &graph, Signature sig,
                                 std::function<Program(Tensors &)> f,
                                 bool inlined, const DebugContext &debugContext)
    : voidFunc_(
          graph, std::move(sig),
          [&f](Tensors &params, Sequence &prog) { prog.add(f(params)); },
          inlined, debugContext) {}

ProgramFunction::ProgramFunction(
    Graph &graph, Signature sig,
    std::function<Program(Tensors &, const DebugNameAndId &)> f, bool inlined,
    const DebugContext &debugContext)
    : voidFunc_(
          graph, std::move(sig),
          [&f](Tensors &params, Sequence &prog, const DebugNameAndId &name) {
            prog.add(f(params, name));
          },
          inlined, debugContext) {}

Program ProgramFunction::operator()(Tensors &args,
                                    const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(args));
  Sequence prog({}, {di});
  voidFunc_(args, prog, {di});
  return prog;
}

namespace {

// The result of a TensorFunction is an additional parameter after the others.
Signature withResult(Signature sig) {
  sig.push_back(created());
  return sig;
}

} // namespace

TensorFunction::TensorFunction(Graph &graph, Signature sig,
                               std::function<Tensor(Tensors &, Sequence &)> f,
                               bool inlined, const DebugContext &debugContext)
    : TensorFunction(
          graph, std::move(sig),
          [&f](Tensors &params, Sequence &prog, const DebugNameAndId &) {
            return f(params, prog);
          },
          inlined, debugContext) {}

TensorFunction::TensorFunction(
    Graph &graph, Signature sig,
    std::function<Tensor(Tensors &, Sequence &, const DebugNameAndId &)> f,
    bool inlined, const DebugContext &debugContext)
    : voidFunc_(
          graph, withResult(std::move(sig)),
          [&f](Tensors &params, Sequence &prog, const DebugNameAndId &name) {
            params.back() = f(params, prog, name);
          },
          inlined, debugContext) {}

Tensor TensorFunction::operator()(Tensors &args, Sequence &prog,
                                  const DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(args));
  Tensors argsAndResult = args;
  argsAndResult.emplace_back();
  voidFunc_(argsAndResult, prog, {di});
  Tensor result = argsAndResult.back();
  argsAndResult.pop_back();
  args = argsAndResult;
  di.addOutput(result);
  return result;
}

} // namespace graphfn
} // namespace poputil
