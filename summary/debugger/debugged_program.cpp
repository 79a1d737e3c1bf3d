#include "summary/debugger/debugged_program.hpp"

#include "summary/encoding/utf8.hpp"

#include <algorithm>
#include <set>

namespace popscope::summary {

namespace {

std::string withoutColons(const std::string &name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool isFirstOutput =
        name.compare(i, 2, ":0") == 0 &&
        (i + 2 == name.size() || name[i + 2] < '0' || name[i + 2] > '9');
    if (isFirstOutput)
      ++i;
    else
      plain += name[i] == ':' ? '_' : name[i];
  }
  return plain;
}

} // namespace

void HealthCounts::add(const HealthCounts &other) {
  count += other.count;
  negInf += other.negInf;
  posInf += other.posInf;
  nan += other.nan;
  if (!signs || !other.signs) {
    signs.reset();
    return;
  }
  signs->negative += other.signs->negative;
  signs->zero += other.signs->zero;
  signs->positive += other.signs->positive;
}

bool operator!=(const HealthCounts &a, const HealthCounts &b) {
  return a.count != b.count || a.negInf != b.negInf || a.posInf != b.posInf ||
         a.nan != b.nan;
}

std::vector<std::string> opNames(const DebuggedProgram &program) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const DebuggedOp &op : program.ops) {
    const std::string plain = withoutColons(toUtf8(op.name));
    std::string name = plain;
    for (unsigned n = 2; !taken.insert(name).second; ++n)
      name = plain + '_' + std::to_string(n);
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> devicesOf(const DebuggedProgram &program) {
  std::vector<std::string> devices;
  for (const DebuggedOp &op : program.ops)
    if (std::find(devices.begin(), devices.end(), op.device) == devices.end())
      devices.push_back(op.device);
  return devices;
}

} // namespace popscope::summary
