#include "popc/shim.hpp"

#include "popc/column_shim.hpp"

namespace ipumodel::popc {
namespace {

// Marks what follows as a system header, so that no warning concerns it.
const char *const kLineMarker = "\n# 1 \"<popc>\" 3\n";

// C++11, no standard headers, no macros: the user's source comes before it.
const char *const kSupport = R"(
namespace popc_shim {

// What a field's type says about its elements: those of the innermost vector,
// unless the innermost is an edge of one element.
template <typename T> struct Elements {
  enum : unsigned { size = sizeof(T), align = alignof(T), layout = 0, list = 0 };
  enum { isScalar = true };
};
template <typename T> struct Elements<const T> : Elements<T> {};
template <typename T> struct Elements<volatile T> : Elements<T> {};
template <typename T> struct Edge : Elements<T> {
  enum { isScalar = false };
};
template <typename T> struct Elements<::poplar::Input<T>> : Edge<T> {};
template <typename T> struct Elements<::poplar::Output<T>> : Edge<T> {};
template <typename T> struct Elements<::poplar::InOut<T>> : Edge<T> {};
template <typename T, unsigned L, unsigned A> struct VectorOf {
  using Inner = Elements<T>;
  enum : unsigned {
    size = Inner::size,
    align = Inner::isScalar && A > Inner::align ? A : unsigned(Inner::align),
    layout = Inner::layout != 0 ? unsigned(Inner::layout) : L,
    list = 0
  };
  enum { isScalar = false };
};
template <typename T, ::poplar::VectorLayout L, unsigned A, bool I>
struct Elements<::poplar::Vector<T, L, A, I>> : VectorOf<T, unsigned(L), A> {};
template <typename T, ::poplar::VectorListLayout L, unsigned A, bool I>
struct Elements<::poplar::VectorList<T, L, A, I>> : VectorOf<T, 0, A> {
  enum : unsigned { list = unsigned(L) };
};

template <typename T>
constexpr ::ipumodel::abi::Field field(const char *name, const char *type,
                                       decltype(sizeof(0)) offset,
                                       ::ipumodel::abi::Direction direction,
                                       ::ipumodel::abi::Form form) {
  return {name, type, ::std::uint32_t(offset), Elements<T>::size,
          Elements<T>::align, direction, form,
          ::std::uint8_t(Elements<T>::layout), ::std::uint8_t(Elements<T>::list)};
}

// Inlines compute() into the loop over vertices, however long it is.
template <typename Result> struct Call {
  template <typename V, typename... Worker>
  __attribute__((flatten, always_inline)) static bool
  compute(V &vertex, Worker... worker) {
    return vertex.compute(worker...);
  }
};
template <> struct Call<void> {
  template <typename V, typename... Worker>
  __attribute__((flatten, always_inline)) static bool
  compute(V &vertex, Worker... worker) {
    vertex.compute(worker...);
    return true;
  }
};

template <typename V, bool IsMulti> struct Runner {
  enum : unsigned { numWorkers = 1 };
  template <typename Random>
  __attribute__((always_inline)) static bool compute(V &vertex, Random random) {
    random.use(0);
    return Call<decltype(vertex.compute())>::compute(vertex);
  }
};
template <typename V> struct Runner<V, true> {
  enum : unsigned { numWorkers = V::numWorkers() };
  template <typename Random>
  __attribute__((always_inline)) static bool compute(V &vertex, Random random) {
    bool all = true;
    for (unsigned worker = 0; worker < V::numWorkers(); ++worker) {
      random.use(worker);
      all &= Call<decltype(vertex.compute(worker))>::compute(vertex, worker);
    }
    return all;
  }
};
template <typename V>
struct RunnerOf : Runner<V, __is_base_of(::poplar::MultiVertex, V)> {};

struct NoRandom {
  template <typename V> struct Object { alignas(V) char vertex[sizeof(V)]; };
  template <typename V> static constexpr unsigned offset() { return 0; }
  template <typename V> static constexpr unsigned count() { return 0; }
  template <typename V> static NoRandom of(char *) { return {}; }
  void use(unsigned) {}
};
// The states of a vertex are behind its fields.
struct Random {
  template <typename V> struct Object {
    alignas(V) char vertex[sizeof(V)];
    ::ipumodel::abi::RandomState states[RunnerOf<V>::numWorkers];
  };
  template <typename V> static constexpr unsigned offset() {
    return __builtin_offsetof(Object<V>, states);
  }
  template <typename V> static constexpr unsigned count() {
    return RunnerOf<V>::numWorkers;
  }
  template <typename V> static Random of(char *object) {
    return {reinterpret_cast<::ipumodel::abi::RandomState *>(object +
                                                             offset<V>())};
  }
  void use(unsigned worker) { popc_random_state = states[worker].words; }
  ::ipumodel::abi::RandomState *states;
};

// compute() works on a copy of the vertex: its fields are in registers and no
// store to an element can change them, so that loops over elements are
// vectorised. The empty asm hides where a vertex comes from.
// Otherwise clang 14 vectorises the loop inside an inlined compute() only for a
// stride of one byte.
template <typename V, typename Random>
bool run(char *objects, decltype(sizeof(0)) stride, decltype(sizeof(0)) begin,
         decltype(sizeof(0)) end) {
  bool all = true;
  for (auto i = begin; i != end; ++i) {
    char *object = objects + i * stride;
    asm("" : "+r"(object));
    alignas(V) char copy[sizeof(V)];
    __builtin_memcpy(copy, object, sizeof(V));
    all &= RunnerOf<V>::compute(*reinterpret_cast<V *>(copy),
                                Random::template of<V>(object));
    __builtin_memcpy(object, copy, sizeof(V));
  }
  return all;
}

template <typename V> constexpr ::ipumodel::abi::VertexKind kind() {
  return __is_base_of(::poplar::MultiVertex, V)
             ? ::ipumodel::abi::VertexKind::multiVertex
         : __is_base_of(::poplar::SupervisorVertex, V)
             ? ::ipumodel::abi::VertexKind::supervisor
             : ::ipumodel::abi::VertexKind::vertex;
}

} // namespace popc_shim
)";

// Without an engine, codelets print to standard output.
const char *const kPrint = R"(
__thread unsigned long long *popc_random_state = nullptr;

static ::ipumodel::abi::PrintFunction popc_print = nullptr;

extern "C" int vprintf(const char *, __builtin_va_list);

extern "C" __attribute__((visibility("hidden"))) int
printf(const char *format, ...) {
  __builtin_va_list arguments, again;
  __builtin_va_start(arguments, format);
  __builtin_va_copy(again, arguments);
  char line[256];
  char *text = line;
  int length;
  if (popc_print) {
    length = __builtin_vsnprintf(line, sizeof line, format, arguments);
    if (length >= int(sizeof line)) {
      text = static_cast<char *>(__builtin_malloc(length + 1));
      __builtin_vsnprintf(text, length + 1, format, again);
    }
    if (length > 0)
      popc_print(text, length);
    if (text != line)
      __builtin_free(text);
  } else {
    length = vprintf(format, arguments);
  }
  __builtin_va_end(again);
  __builtin_va_end(arguments);
  return length;
}
)";

const char *nameOf(abi::Direction direction) {
  switch (direction) {
  case abi::Direction::state:
    return "state";
  case abi::Direction::input:
    return "input";
  case abi::Direction::output:
    return "output";
  case abi::Direction::inOut:
    break;
  }
  return "inOut";
}

const char *nameOf(abi::Form form) {
  switch (form) {
  case abi::Form::scalar:
    return "scalar";
  case abi::Form::vector:
    return "vector";
  case abi::Form::vectorOfScalars:
    return "vectorOfScalars";
  case abi::Form::vectorOfVectors:
    break;
  }
  return "vectorOfVectors";
}

std::string fieldEntry(const VertexField &field) {
  return "    field<decltype(V::" + field.name + ")>(\"" + field.name +
         "\", \"" + field.type.elementType + "\", __builtin_offsetof(V, " +
         field.name +
         "), ::ipumodel::abi::Direction::" + nameOf(field.type.direction) +
         ", ::ipumodel::abi::Form::" + nameOf(field.type.form) + "),\n";
}

// A constant needs this declaration to be seen by other sources.
std::string declare(const char *visibility, const std::string &type,
                    const std::string &symbol) {
  return "extern \"C\" __attribute__((visibility(\"" + std::string(visibility) +
         "\"))) const ::ipumodel::abi::" + type + " " + symbol + ";\n";
}

std::string vertexTable(const std::string &symbol, const VertexClass &vertex,
                        const VertexTraits &traits) {
  const std::string random = traits.drawRandom ? "Random" : "NoRandom";
  const bool hasColumns =
      !traits.drawRandom && traits.computeAsWritten && canBeColumns(vertex);
  // A namespace each, so that names of one vertex do not meet those of another.
  std::string text = "namespace popc_shim { namespace " + symbol +
                     "_types {\nusing V = " + vertex.spelling + ";\n";
  std::string fields = "nullptr";
  if (!vertex.fields.empty()) {
    text += "const ::ipumodel::abi::Field fields[] = {\n";
    for (const auto &field : vertex.fields)
      text += fieldEntry(field);
    text += "};\n";
    fields = "fields";
  }
  return text + declare("hidden", "VertexType", symbol) +
         "const ::ipumodel::abi::VertexType " + symbol + " = {\"" +
         vertex.name + "\", sizeof(" + random + "::Object<V>), alignof(" +
         random + "::Object<V>), " + fields + ", " +
         std::to_string(vertex.fields.size()) + ", kind<V>(), &run<V, " +
         random + ">, " + (hasColumns ? runColumns(vertex) : "nullptr") + ", " +
         random + "::offset<V>(), " + random + "::count<V>()};\n}}\n";
}

} // namespace

std::string vertexSymbol(std::size_t source, std::size_t vertex) {
  return "popc_vertex_" + std::to_string(source) + "_" + std::to_string(vertex);
}

std::string vertexTables(std::size_t source,
                         const std::vector<VertexClass> &vertices,
                         const VertexTraits &traits) {
  if (vertices.empty())
    return {};
  std::string text = kLineMarker;
  text += kSupport;
  text += columnSupport();
  for (std::size_t i = 0; i < vertices.size(); ++i)
    text += vertexTable(vertexSymbol(source, i), vertices[i], traits);
  return text;
}

std::string moduleTable(const std::vector<std::string> &vertexSymbols) {
  std::string text = kLineMarker, list;
  text += kPrint;
  for (const auto &symbol : vertexSymbols) {
    text += declare("hidden", "VertexType", symbol);
    list += "&" + symbol + ", ";
  }
  const std::string module = abi::kModuleSymbol;
  return text +
         "static const ::ipumodel::abi::VertexType *const popc_vertices[] = {" +
         list + "nullptr};\n" + declare("default", "Module", module) +
         "const ::ipumodel::abi::Module " + module +
         " = {::ipumodel::abi::kVersion, " +
         std::to_string(vertexSymbols.size()) +
         ", popc_vertices, &popc_print};\n";
}

} // namespace ipumodel::popc
