#include "pva/program.hpp"

#include "pva/report_data.hpp"

namespace ipumodel {

std::shared_ptr<pva::Program> makeProgram(const pva::ReportData &report,
                                          std::size_t index) {
  switch (report->compilation.programs[index].type) {
  case profile::ProgramType::onTileExecute:
    return std::make_shared<pva::OnTileExecuteProgram>(report, index);
  case profile::ProgramType::doExchange:
    return std::make_shared<pva::DoExchangeProgram>(report, index);
  case profile::ProgramType::globalExchange:
    return std::make_shared<pva::GlobalExchangeProgram>(report, index);
  case profile::ProgramType::streamCopyBegin:
    return std::make_shared<pva::StreamCopyBeginProgram>(report, index);
  case profile::ProgramType::streamCopyMid:
    return std::make_shared<pva::StreamCopyMidProgram>(report, index);
  case profile::ProgramType::streamCopyEnd:
    return std::make_shared<pva::StreamCopyEndProgram>(report, index);
  default:
    return std::make_shared<pva::Program>(report, index);
  }
}

} // namespace ipumodel

namespace pva {

namespace data = ipumodel::profile;

namespace {

const data::Program &dataOf(const ReportData &report, std::size_t index) {
  return report->compilation.programs[index];
}

} // namespace

Program::Type Program::type() const {
  switch (dataOf(report_, index_).type) {
  case data::ProgramType::sequence:
    return Type::Sequence;
  case data::ProgramType::repeat:
    return Type::Repeat;
  case data::ProgramType::repeatWhile:
    return Type::RepeatWhile;
  case data::ProgramType::loop:
    return Type::Loop;
  case data::ProgramType::branch:
    return Type::If;
  case data::ProgramType::switchCase:
    return Type::Switch;
  case data::ProgramType::call:
    return Type::Call;
  case data::ProgramType::block:
    return Type::Block;
  case data::ProgramType::onTileExecute:
    return Type::OnTileExecute;
  case data::ProgramType::doExchange:
    return Type::DoExchange;
  case data::ProgramType::globalExchange:
    return Type::GlobalExchange;
  case data::ProgramType::streamCopyBegin:
    return Type::StreamCopyBegin;
  case data::ProgramType::streamCopyMid:
    return Type::StreamCopyMid;
  case data::ProgramType::streamCopyEnd:
    break;
  }
  return Type::StreamCopyEnd;
}

std::string Program::name() const { return dataOf(report_, index_).name; }

std::vector<std::shared_ptr<Program>> Program::children() const {
  std::vector<std::shared_ptr<Program>> children;
  for (const std::uint32_t child : dataOf(report_, index_).children)
    children.push_back(ipumodel::makeProgram(report_, child));
  return children;
}

void Program::accept(ProgramVisitor &visitor) const {
  visitor.visitControlFlow(*this);
}

std::vector<Variable> StepProgram::vars() const {
  std::vector<Variable> variables;
  for (const std::uint32_t variable : dataOf(report_, index_).variables)
    variables.emplace_back(report_, variable);
  return variables;
}

std::vector<std::uint64_t> StepProgram::estimatedCyclesByTile() const {
  return ipumodel::cyclesByTile(*report_, dataOf(report_, index_).tileCycles);
}

ComputeSet OnTileExecuteProgram::computeset() const {
  return ComputeSet(report_, dataOf(report_, index_).computeSet, index_);
}

void OnTileExecuteProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitOnTileExecute(*this);
}

void DoExchangeProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitDoExchange(*this);
}

void GlobalExchangeProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitGlobalExchange(*this);
}

void StreamCopyBeginProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitStreamCopyBegin(*this);
}

void StreamCopyMidProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitStreamCopyMid(*this);
}

void StreamCopyEndProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitStreamCopyEnd(*this);
}

std::uint64_t LivenessMemory::bytes() const {
  std::uint64_t sum = 0;
  for (const Variable &variable : variables_)
    sum += variable.bytes();
  return sum;
}

std::shared_ptr<Program> LivenessProgramStep::program() const {
  return ipumodel::makeProgram(report_, index_);
}

LivenessMemory LivenessProgramStep::notAlwaysLiveMemory() const {
  std::vector<Variable> variables;
  for (const std::uint32_t id : dataOf(report_, index_).variables)
    if (const Variable variable(report_, id); !variable.alwaysLive())
      variables.push_back(variable);
  return LivenessMemory(std::move(variables));
}

LivenessMemory LivenessProgramStep::notAlwaysLiveMemoryForTile(unsigned) const {
  return notAlwaysLiveMemory(); // no variable is one of them, on any tile
}

std::vector<LivenessProgramStep> Compilation::livenessProgramSteps() const {
  std::vector<LivenessProgramStep> steps;
  for (std::size_t i = 0; i < report_->compilation.programs.size(); ++i)
    if (report_->compilation.programs[i].type >=
        data::ProgramType::onTileExecute)
      steps.emplace_back(report_, i);
  return steps;
}

std::vector<std::shared_ptr<Program>> Compilation::programs() const {
  std::vector<std::shared_ptr<Program>> programs;
  for (std::size_t i = 0; i < report_->compilation.programs.size(); ++i)
    programs.push_back(ipumodel::makeProgram(report_, i));
  return programs;
}

} // namespace pva
