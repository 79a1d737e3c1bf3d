#include <poputil/DebugInfo.hpp>

namespace poputil {

OpDebugInfo::OpDebugInfo(const poplar::DebugContext &debugContext,
                         std::string api)
    : poplar::DebugInfo(debugContext, "poplibs") {
  setValue("api", poplar::ProfileValue(std::move(api)));
}

void OpDebugInfo::add(std::string name, const std::vector<ArgType> &args) {
  if (args.empty())
    return;
  poplar::ProfileValue::Map values;
  for (const ArgType &arg : args)
    values.emplace(arg.n, arg.pv);
  setValue(std::move(name), poplar::ProfileValue(std::move(values)));
}

void OpDebugInfo::add(std::string name, poplar::ProfileValue pv) {
  setValue(std::move(name), std::move(pv));
}

PoplibsOpDebugInfo::PoplibsOpDebugInfo(const poplar::DebugContext &debugContext,
                                       const std::vector<ArgType> &args,
                                       const std::string &api)
    : OpDebugInfo(debugContext, api) {
  add("args", args);
}

void PoplibsOpDebugInfo::addOutputs(const std::vector<ArgType> &outputs) {
  add("outputs", outputs);
}

void PoplibsOpDebugInfo::addOutput(const poplar::Tensor &output) {
  add("output", toProfileValue(output));
}

} // namespace poputil
