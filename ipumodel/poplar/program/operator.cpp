#include "poplar/program/operator.hpp"

#include <poplar/exceptions.hpp>

#include <map>
#include <stdexcept>

namespace ipumodel {

namespace {

// On first use, since libraries register from their static initialisers.
std::map<std::string, OperatorReader> &readers() {
  static std::map<std::string, OperatorReader> registry;
  return registry;
}

class UnknownOperator final : public Operator {
public:
  UnknownOperator(std::string name, std::string parameters)
      : name_(std::move(name)), parameters_(std::move(parameters)) {}

  const char *name() const override { return name_.c_str(); }
  std::string parameters() const override { return parameters_; }
  std::string vertexType(const NativeOp &) const override { return name_; }
  std::string computeSetName(const NativeOp &) const override { return name_; }
  InstructionPtr lower(const NativeOp &, const std::string &,
                       PlanBuilder &) const override {
    throw poplar::link_error("no library of this program has the operation '" +
                             name_ + "'");
  }
  StagePtr stage(const NativeOp &, const std::string &,
                 StageOperands &) const override {
    return nullptr;
  }
  JoinedPtr join(const ProgramNode &, const ProgramNode &,
                 const PlanBuilder &) const override {
    return nullptr;
  }
  bool mayJoin() const override { return false; }
  std::size_t workspaceFrom(const NativeOp &, const NativeOp &) const override {
    return 0;
  }
  bool mayHaveWorkspace() const override { return false; }

private:
  std::string name_, parameters_;
};

} // namespace

bool operator==(const Operator &a, const Operator &b) {
  return std::strcmp(a.name(), b.name()) == 0 &&
         a.parameters() == b.parameters();
}

bool registerOperator(const char *name, OperatorReader reader) {
  if (!readers().emplace(name, reader).second)
    throw std::logic_error(std::string("operator '") + name +
                           "' is registered twice");
  return true;
}

OperatorPtr readOperator(const std::string &name,
                         const std::string &parameters) {
  const auto found = readers().find(name);
  if (found == readers().end())
    return std::make_shared<UnknownOperator>(name, parameters);
  ParameterReader reader(parameters.data(),
                         parameters.data() + parameters.size());
  OperatorPtr read = found->second(reader);
  ParameterReader::require(reader.atEnd(), "an operation has too many "
                                           "parameters");
  return read;
}

} // namespace ipumodel
