#include "pva/report_file.hpp"

#include "pva/cbor.hpp"
#include "pva/report_check.hpp"
#include "pva/report_format.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace ipumodel {

namespace {

using namespace profile;

// The SDK's reports begin with this.
constexpr std::string_view kSqlite = "SQLite format 3";

class Writer {
public:
  explicit Writer(std::ostream &out) : cbor_(out) {}

  void write(const std::string &value) { cbor_.text(value); }
  void write(bool value) { cbor_.boolean(value); }
  void write(double value) { cbor_.number(value); }
  void write(std::uint32_t value) { cbor_.unsignedInteger(value); }
  void write(std::uint64_t value) { cbor_.unsignedInteger(value); }
  void write(ProgramType value) { write(static_cast<std::uint32_t>(value)); }
  void write(BlockKind value) { write(static_cast<std::uint32_t>(value)); }
  template <class T> void write(const std::vector<T> &values) {
    cbor_.array(values.size());
    for (const T &value : values)
      write(value);
  }
  template <class Struct> void write(const Struct &value) {
    std::size_t count = 0;
    fields(value, [&](const char *, const auto &) { ++count; });
    cbor_.map(count);
    fields(value, [&](const char *name, const auto &field) {
      cbor_.text(name);
      write(field);
    });
  }
  template <class T>
  void writeFile(const char *format, const char *member, const T &value) {
    cbor_.selfDescribe();
    cbor_.map(3);
    cbor_.text("format");
    cbor_.text(format);
    cbor_.text("version");
    cbor_.unsignedInteger(kFormatVersion);
    cbor_.text(member);
    write(value);
  }

private:
  CborWriter cbor_;
};

class Reader {
public:
  explicit Reader(std::string_view document) : cbor_(document) {}

  void read(std::string &value) { value = cbor_.text(); }
  void read(bool &value) { value = cbor_.boolean(); }
  void read(double &value) { value = cbor_.number(); }
  void read(std::uint64_t &value) { value = cbor_.unsignedInteger(); }
  void read(std::uint32_t &value) {
    value = readUpTo(std::numeric_limits<std::uint32_t>::max());
  }
  void read(ProgramType &value) {
    value = static_cast<ProgramType>(readUpTo(kNumProgramTypes - 1));
  }
  void read(BlockKind &value) {
    value = static_cast<BlockKind>(readUpTo(kNumBlockKinds - 1));
  }
  template <class T> void read(std::vector<T> &values) {
    const std::size_t count = cbor_.array();
    values.clear();
    for (std::size_t i = 0; i < count; ++i) {
      values.emplace_back();
      read(values.back());
    }
  }
  // Ignores unknown members, because later versions may have more.
  template <class Struct> void read(Struct &value) {
    std::size_t numFields = 0, numFound = 0;
    fields(value, [&](const char *, const auto &) { ++numFields; });
    for (std::size_t left = cbor_.map(); left > 0; --left) {
      const std::string_view member = cbor_.text();
      bool known = false;
      fields(value, [&](const char *name, auto &field) {
        if (known || member != name)
          return;
        read(field);
        known = true;
      });
      if (known)
        ++numFound;
      else
        cbor_.skip();
    }
    if (numFound != numFields)
      cbor_.fail("a member is missing");
  }
  template <class T>
  void readFile(std::string_view format, std::string_view member, T &value) {
    cbor_.selfDescribe();
    if (cbor_.map() != 3 || cbor_.text() != "format" || cbor_.text() != format)
      cbor_.fail("expected the format '" + std::string(format) + "'");
    if (cbor_.text() != "version")
      cbor_.fail("expected the version");
    const std::uint64_t version = cbor_.unsignedInteger();
    if (version != kFormatVersion)
      cbor_.fail("version " + std::to_string(version) +
                 " of the format; this library reads version " +
                 std::to_string(kFormatVersion));
    if (cbor_.text() != member)
      cbor_.fail("expected '" + std::string(member) + "'");
    read(value);
    cbor_.finish();
  }

private:
  std::uint32_t readUpTo(std::uint32_t last) {
    const std::uint64_t value = cbor_.unsignedInteger();
    if (value > last)
      cbor_.fail("the number " + std::to_string(value) + " is too large");
    return static_cast<std::uint32_t>(value);
  }

  CborReader cbor_;
};

template <class T>
void save(const std::string &path, const char *format, const char *member,
          const T &value) {
  const std::string aside = path + ".part";
  std::ofstream file(aside, std::ios::binary | std::ios::trunc);
  if (file) {
    Writer(file).writeFile(format, member, value);
    file.close();
  }
  if (!file || std::rename(aside.c_str(), path.c_str()) != 0) {
    std::remove(aside.c_str());
    throw std::runtime_error("cannot write the report '" + path + "'");
  }
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot open the report '" + path + "'");
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

// `use` reads and checks the document; its errors are extended by the file's
// name.
template <class Use> void load(const std::string &path, Use &&use) {
  const std::string document = contentOf(path);
  if (document.compare(0, kSqlite.size(), kSqlite) == 0)
    throw std::runtime_error(
        "'" + path +
        "' is a report of the Poplar SDK; only the SDK's own libpva reads it");
  try {
    use(Reader(document));
  } catch (const std::runtime_error &error) {
    throw std::runtime_error("'" + path +
                             "' is not a usable report: " + error.what());
  }
}

} // namespace

void writeReport(const std::string &path, const Report &report) {
  save(path, kProfileFormat, "report", report);
}

void writeDebugContexts(const std::string &path,
                        const std::vector<DebugContext> &contexts) {
  save(path, kDebugFormat, "contexts", contexts);
}

Report readReport(const std::string &path) {
  Report report;
  load(path, [&](Reader reader) {
    reader.readFile(kProfileFormat, "report", report);
    checkReferences(report);
  });
  return report;
}

std::vector<DebugContext> readDebugContexts(const std::string &path) {
  std::vector<DebugContext> contexts;
  load(path, [&](Reader reader) {
    reader.readFile(kDebugFormat, "contexts", contexts);
  });
  return contexts;
}

} // namespace ipumodel
