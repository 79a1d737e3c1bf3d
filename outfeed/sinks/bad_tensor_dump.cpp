#include "outfeed/sinks/bad_tensor_dump.hpp"

#include "outfeed/sinks/npy_header.hpp"
#include "outfeed/sinks/private_file.hpp"
#include "summary/records/file_sink.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace popscope::outfeed {

namespace fs = std::filesystem;

namespace {

std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

} // namespace

BadTensorDump::BadTensorDump(fs::path directory, DumpBudget budget,
                             summary::WriteListener onLoss)
    : directory_(std::move(directory)), budget_(budget),
      onLoss_(std::move(onLoss)) {
  report_.what = directory_.string();
}

void BadTensorDump::takeDump(const DumpedTensors &dumped) {
  if (isWritten_)
    return;
  std::vector<Kept> &kept = kept_[{tagOf(dumped.bad), dumped.replica}];
  for (const DumpedTensors::Part &part : dumped.parts)
    kept.push_back(
        {part.tensor, {part.elements, part.elements + part.tensor.bytes()}});
}

void BadTensorDump::takeVerdict(const Verdict &verdict) {
  isWritten_ = true;
  const std::vector<Kept> kept =
      std::move(kept_[{tagOf(verdict.tensor), verdict.origin.replica}]);
  kept_.clear();
  std::vector<std::string> wanted = verdict.tensor.derivation.inputs;
  wanted.insert(wanted.begin(), verdict.tensor.name);
  std::vector<std::string> written, missing, tooMuch, failed;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found =
        std::find_if(kept.begin(), kept.end(), [&](const Kept &other) {
          return other.tensor.name == wanted[i];
        });
    // A weight is an input of itself: the one from before is gone.
    if (found == kept.end() || (i != 0 && wanted[i] == wanted[0])) {
      missing.push_back(wanted[i]);
    } else if (bytes + found->elements.size() > budget_.bytes ||
               written.size() >= budget_.files) {
      tooMuch.push_back(wanted[i]);
    } else {
      bytes += found->elements.size();
      std::string name = wanted[i];
      std::replace(name.begin(), name.end(), '/', '.');
      (write(*found, name) ? written : failed).push_back(name + ".npy");
    }
  }
  line_ = written.empty()
              ? "nothing was dumped"
              : "dumped to " + directory_.string() + ": " + listed(written) +
                    " (" + text::withThousands(double(bytes)) + " bytes)";
  if (!missing.empty())
    line_ += "; no longer there: " + listed(missing);
  if (!tooMuch.empty())
    line_ += "; beyond the budget: " + listed(tooMuch);
  if (!failed.empty())
    line_ += "; not written: " + listed(failed);
}

bool BadTensorDump::write(const Kept &kept, const std::string &name) {
  const fs::path file = directory_ / (name + ".npy");
  std::ofstream out;
  errno = 0; // the stream does not say why it fails
  try {
    fs::create_directories(directory_);
    makePrivate(file);
    out.open(file, std::ios::binary);
  } catch (const std::system_error &error) {
    errno = error.code().value();
    out.setstate(std::ios::failbit);
  }
  out << npyHeader(kept.tensor.dtype, kept.tensor.shape);
  out.write(reinterpret_cast<const char *>(kept.elements.data()),
            std::streamsize(kept.elements.size()));
  out.close();
  if (out)
    return true;
  report_.error = describe(summary::errorOfErrno(errno));
  ++report_.lostRecords;
  report_.lostBytes += kept.elements.size();
  if (onLoss_)
    onLoss_(report_);
  return false;
}

} // namespace popscope::outfeed
