// Control programs, as values. Adding a program to another stores a copy of its
// current state.
#pragma once

#include <poplar/ArrayRef.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipumodel {
struct ProgramNode;
} // namespace ipumodel

namespace poplar {

class Graph;

namespace program {

// All kinds of program keep their state in this base class, so slicing is safe.
class Program {
public:
  Program();
  Program(const Program &);
  Program(Program &&) noexcept;
  explicit Program(std::shared_ptr<ipumodel::ProgramNode> node);
  Program &operator=(const Program &);
  Program &operator=(Program &&) noexcept;
  virtual ~Program();

  bool isEmpty() const;

  std::shared_ptr<const ipumodel::ProgramNode> getImpl() const { return node_; }

protected:
  std::shared_ptr<ipumodel::ProgramNode> node_;
};

bool operator==(const Program &a, const Program &b);
bool operator!=(const Program &a, const Program &b);

class Execute : public Program {
public:
  explicit Execute(ComputeSet cs, const DebugContext &debugContext = {});
  // `exitStatus`, one BOOL, receives the AND of all compute() results.
  Execute(ComputeSet cs, Tensor exitStatus,
          const DebugContext &debugContext = {});
};

class Sequence : public Program {
public:
  Sequence(const DebugContext &debugContext = {});
  Sequence(std::initializer_list<Program> programs,
           const DebugContext &debugContext = {});
  // Sequence(a, b, ...), as in SDKs before 2.1.
  template <
      class First, class Second, class... Rest,
      class = typename std::enable_if<
          std::is_base_of<Program, typename std::decay<First>::type>::value &&
          std::is_base_of<Program,
                          typename std::decay<Second>::type>::value>::type>
  Sequence(First &&first, Second &&second, Rest &&...rest)
      : Sequence({first, second, rest...}) {}
#ifdef IPUMODEL_SDK1
  // A single program, as in Sequence loop = Repeat(10, body).
  template <class P,
            class = typename std::enable_if<
                std::is_base_of<Program, typename std::decay<P>::type>::value &&
                !std::is_base_of<Sequence,
                                 typename std::decay<P>::type>::value>::type>
  Sequence(P &&program) : Sequence(std::initializer_list<Program>{program}) {}
#endif
  void add(const Program &program);
};

class Repeat : public Program {
public:
  Repeat(unsigned count, const Program &program,
         const DebugContext &debugContext = {});
};

class RepeatWhileTrue : public Program {
public:
  RepeatWhileTrue(const Program &condition, Tensor predicate,
                  const Program &body, const DebugContext &debugContext = {});
};

class RepeatWhileFalse : public Program {
public:
  RepeatWhileFalse(const Program &condition, Tensor predicate,
                   const Program &body, const DebugContext &debugContext = {});
};

// Runs until Engine::stop() is called.
class Loop : public Program {
public:
  Loop(const Program &body, const DebugContext &debugContext = {});
};

class If : public Program {
public:
  If(Tensor predicate, const Program &trueBody, const Program &falseBody,
     const DebugContext &debugContext = {});
};

class Switch : public Program {
public:
  using Cases = std::vector<std::pair<std::int32_t, Program>>;

  Switch(Tensor control, const Cases &cases,
         const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const Program &defaultCaseBody,
         const DebugContext &debugContext = {});
  Switch(Tensor control, const DebugContext &debugContext = {});
  Switch(Tensor control, const Program &defaultCaseBody,
         const DebugContext &debugContext = {});
  Switch &add(std::int32_t value, const Program &body);

  // A control value without a case ends the run with an error.
  static Switch switchWithBoundsChecking(Tensor control, const Cases &cases,
                                         const DebugContext &debugContext = {});
  static Switch
  switchWithUnreachableDefault(Tensor control,
                               const DebugContext &debugContext = {});
};

class Copy : public Program {
public:
  // The source is read before the destination is written. Element counts and
  // types match; shapes need not.
  Copy(Tensor src, Tensor dst, bool dontOutline = false,
       const DebugContext &debugContext = {});
  Copy(const DataStream &stream, Tensor dst, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  Copy(Tensor src, const DataStream &stream, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &buffer, Tensor dst,
       const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &buffer, Tensor dst, Tensor offset,
       const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &buffer,
       const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &buffer, Tensor offset,
       const DebugContext &debugContext = {});
  Copy(const FunctionBuffer &buffer, const Function &function,
       const DebugContext &debugContext = {});
};

// Replica r sends `src` to `dst` of replica replicaMap[r].
class CrossReplicaCopy : public Program {
public:
  CrossReplicaCopy(Tensor src, Tensor dst,
                   std::map<unsigned, unsigned> replicaMap,
                   const DebugContext &debugContext = {});
};

class WriteUndef : public Program {
public:
  explicit WriteUndef(Tensor t, const DebugContext &debugContext = {});
};

class AssumeEqualAcrossReplicas : public Program {
public:
  explicit AssumeEqualAcrossReplicas(Tensor t,
                                     const DebugContext &debugContext = {});
};

class Block : public Program {
public:
  Block(const Program &program, const DebugContext &debugContext = {});
};

class Sync : public Program {
public:
  explicit Sync(SyncType type, const DebugContext &debugContext = {});
};

class Call : public Program {
public:
  explicit Call(Function function, const DebugContext &debugContext = {});
  Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
       const DebugContext &debugContext = {});
};

class PrintTensor : public Program {
public:
  explicit PrintTensor(Tensor t, const DebugContext &debugContext = {});
  PrintTensor(StringRef title, Tensor t, const DebugContext &debugContext = {});
  explicit PrintTensor(Tensor t, const PrintTensorFmt &fmt,
                       const DebugContext &debugContext = {});
  PrintTensor(StringRef title, Tensor t, const PrintTensorFmt &fmt,
              const DebugContext &debugContext = {});
};

// Ends the run with an error whose message shows `debugTensor`.
class ErrorProgram : public Program {
public:
  ErrorProgram(StringRef message, Tensor debugTensor,
               const DebugContext &debugContext = {});
};

class Abort : public Program {
public:
  Abort(const DebugContext &debugContext = {});
  Abort(const std::string &message, const DebugContext &debugContext = {});
  Abort(const char *message, const DebugContext &debugContext = {})
      : Abort(std::string(message), debugContext) {}
};

class AbortOnCondition : public Program {
public:
  AbortOnCondition(Tensor predicate, const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const std::string &message,
                   const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const char *message,
                   const DebugContext &debugContext = {})
      : AbortOnCondition(predicate, std::string(message), debugContext) {}
};

// Writes a program and the programs in it as text.
void dumpProgram(const Graph &graph, const Program &program, std::ostream &out);

} // namespace program
} // namespace poplar
