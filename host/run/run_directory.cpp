#include "host/run/run_directory.hpp"

#include "host/command.hpp"
#include "host/run/home_directory.hpp"
#include "host/run/instance_directory.hpp"
#include "outfeed/compare/sample_log_reader.hpp"
#include "outfeed/sinks/npy_file.hpp"
#include "summary/debugger/debugger_files.hpp"
#include "summary/records/event_files.hpp"
#include "summary/records/file_source.hpp"
#include "summary/records/record_reader.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <set>
#include <system_error>
#include <unistd.h>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

// Files of a run besides event files, by name, and the folders of others.
constexpr char kManifest[] = "popscope.json";
constexpr std::array<const char *, 11> kFiles{kManifest,
                                              "log.csv",
                                              outfeed::kSampleLogName,
                                              "control",
                                              "projector_config.pbtxt",
                                              "logits_tensors.tsv",
                                              "logits_metadata.tsv",
                                              "logits_sprite.png",
                                              "probabilities_tensors.tsv",
                                              "probabilities_metadata.tsv",
                                              "probabilities_sprite.png"};
constexpr char kOldCheckpoint[] = "checkpoint"; // of earlier versions
constexpr char kDumps[] = "dump";
constexpr char kAlarmDumps[] = "first_not_finite"; // in that folder
constexpr std::array<const char *, 4> kFolders{
    kCheckpointFolder, kGoodCheckpointFolder, kOldCheckpoint, kDumps};
const std::string kState = "state"; // the file of a checkpoint
const std::string kAside = ".new";  // written aside, to replace the file
constexpr char kEndOfRun[] = ".end";

bool endsWith(const std::string &text, const std::string &ending) {
  return text.size() > ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

// In this order.
void removeEmpty(const std::vector<fs::path> &directories) {
  std::error_code notEmpty;
  for (const fs::path &directory : directories)
    fs::remove(directory, notEmpty);
}

bool isEventFile(const fs::path &path) {
  return summary::isWrittenEventFileName(path.filename().string());
}

// Also if a kill left nothing, or half a record.
bool beginsWithRecord(const fs::path &file) {
  summary::FileSource source(file);
  return summary::RecordReader(source).next() != summary::ReadState::damaged;
}

// What a kill leaves of a file that was to be replaced: <file>.new, or with six
// characters of mkstemp.
bool isAside(const std::string &name, const std::string &file) {
  const std::string aside = file + kAside;
  return name == aside ||
         (name.size() == aside.size() + 7 && name.rfind(aside + "-", 0) == 0);
}

bool isInFolder(const std::string &name, const std::string &folder,
                const std::string &known) {
  if (known == kDumps)
    return folder == known &&
           (endsWith(name, ".npy") || endsWith(name, ".index.csv"));
  const bool isState =
      name == kState || name == kState + ".previous" || isAside(name, kState);
  // Earlier versions replaced the folder as a whole.
  return isState && (folder == known || folder == known + kAside ||
                     folder == known + ".old");
}

} // namespace

bool isFileOfRun(const fs::path &relative) {
  const std::string name = relative.filename().string();
  const auto parts = std::distance(relative.begin(), relative.end());
  if (isEventFile(relative))
    return true;
  if (const auto inside = pathInInstance(relative))
    return *inside == kManifest || isAside(inside->string(), kManifest) ||
           *inside == kInstanceLog ||
           (std::distance(inside->begin(), inside->end()) == 2 &&
            isInFolder(name, inside->begin()->string(), kDumps));
  if (parts == 1)
    return summary::isDebuggerFileName(name) ||
           std::any_of(kFiles.begin(), kFiles.end(), [&](const char *file) {
             return name == file || isAside(name, file);
           });
  const std::string folder = relative.begin()->string();
  const bool isDumpOfAlarm =
      parts == 3 && relative.parent_path() == fs::path(kDumps) / kAlarmDumps;
  return (parts == 2 || isDumpOfAlarm) &&
         std::any_of(kFolders.begin(), kFolders.end(), [&](const char *known) {
           return isInFolder(name, folder, known);
         });
}

namespace {

// By its name, and by how its content begins if others use such names too. A
// run writes its manifest first: without one a log.csv is somebody else's.
bool isWrittenByRun(const fs::directory_entry &entry, const fs::path &run) {
  const fs::path relative = entry.path().lexically_relative(run);
  if (entry.is_symlink() || !isFileOfRun(relative))
    return false;
  if (pathInInstance(relative).value_or(relative).begin()->string() == kDumps)
    return outfeed::isDumpFile(entry.path());
  if (isEventFile(relative) || relative == outfeed::kSampleLogName ||
      summary::isDebuggerFileName(relative.string()))
    return beginsWithRecord(entry.path());
  return fs::exists(run / kManifest) || isAside(relative.string(), kManifest);
}

void checkIsLog(const fs::path &logDirectory, const std::string &run) {
  fs::path directory = logDirectory;
  for (const fs::path &part : fs::path(run)) {
    if (fs::exists(directory / kManifest))
      requireUnlocked(directory); // this may be a part of it, such as train
    directory /= part;
    if (fs::is_symlink(directory))
      throw BadInput(directory.string() +
                     ": not cleaned: it is a link; clean where it leads to");
  }
  if (holdsHome(directory))
    throw BadInput(directory.string() +
                   ": not cleaned: it is a home directory, or holds one");
  for (const auto &entry : fs::recursive_directory_iterator(directory))
    if (entry.is_directory() && !entry.is_symlink())
      requireUnlocked(entry.path()); // a run of its own may be under way there
    else if (!isWrittenByRun(entry, directory))
      throw BadInput(directory.string() +
                     ": not cleaned: " + entry.path().string() +
                     " is not part of a PopScope or TensorBoard log");
}

// Only what checkIsLog knows: something else may have come since.
void deleteLog(const fs::path &directory) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(directory))
    if (!entry.is_directory() && isWrittenByRun(entry, directory))
      files.push_back(entry.path());
  // Last, so that what a kill leaves is still known for what it is.
  std::partition(files.begin(), files.end(), [&](const fs::path &file) {
    return file != directory / kManifest;
  });
  std::set<fs::path> emptied;
  for (const fs::path &file : files) {
    fs::remove(file);
    for (fs::path folder = file.parent_path(); folder != directory;
         folder = folder.parent_path())
      emptied.insert(folder);
  }
  // Deeper ones come later. A folder that was empty before is somebody else's.
  removeEmpty({emptied.rbegin(), emptied.rend()});
}

std::string timeStamped(const std::string &prefix) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "-%Y%m%d-%H%M%S", &local);
  return prefix + text.data();
}

// "." and ".." would name a directory that holds other runs or other things.
void checkRunName(const std::string &run) {
  const fs::path path(run);
  bool bad = run.empty() || path.is_absolute();
  for (const fs::path &part : path)
    bad = bad || part == ".." || part == "." || part.empty();
  if (bad)
    throw BadInput("--run " + run + ": not a name within the log directory");
}

summary::EventWriterOptions reportedTo(const summary::WriteListener &report) {
  summary::EventWriterOptions options;
  options.openFailure = summary::OpenFailure::isReported;
  options.onFailure = options.onClose = report;
  return options;
}

} // namespace

RunDirectory::RunDirectory(const fs::path &logDirectory, const std::string &run,
                           ExistingRun existing, RunReport &report)
    : report_(report), name_(run), path_(logDirectory / run),
      cleans_(existing == ExistingRun::clean),
      isResumed_(existing == ExistingRun::resume) {
  checkRunName(run);
  try {
    if (fs::exists(path_) && !fs::is_directory(path_))
      throw BadInput(path_.string() + ": is not a directory");
    const bool hasContent = fs::exists(path_) && !fs::is_empty(path_);
    if (hasContent && existing == ExistingRun::refuse)
      throw BadInput(path_.string() +
                     ": exists; use --resume to go on, --clean to begin anew, "
                     "or another --run");
    if (!hasContent && isResumed_)
      throw BadInput(path_.string() + ": there is no run to resume");
    make();
    lock_.emplace(path_);
    if (hasContent && cleans_)
      checkIsLog(logDirectory, run);
  } catch (const fs::filesystem_error &error) {
    removeEmpty(made_);
    throw BadInput(path_.string() + ": " + error.code().message());
  }
  if (::access(path_.c_str(), W_OK) != 0)
    throw BadInput(path_.string() + ": cannot be written to");
}

RunDirectory::RunDirectory(const fs::path &logDirectory,
                           const UnnamedRun &unnamed, RunReport &report)
    : report_(report), name_(timeStamped(unnamed.prefix)),
      path_(logDirectory / name_) {
  const std::string stamped = name_;
  try {
    path_ = logDirectory;
    make();
    path_ = logDirectory / name_;
    for (unsigned n = 2; !fs::create_directory(path_); ++n) {
      name_ = stamped + "-" + std::to_string(n);
      path_ = logDirectory / name_;
    }
    made_.insert(made_.begin(), path_);
    lock_.emplace(path_);
  } catch (const fs::filesystem_error &error) {
    removeEmpty(made_);
    throw BadInput((logDirectory / name_).string() + ": " +
                   error.code().message());
  }
}

RunDirectory::~RunDirectory() { removeEmpty(made_); }

void RunDirectory::make() {
  std::vector<fs::path> missing;
  for (fs::path path = path_; !path.empty() && !fs::exists(path);
       path = path.parent_path())
    missing.push_back(path);
  fs::create_directories(path_);
  made_ = missing;
}

void RunDirectory::begin() {
  if (cleans_)
    deleteLog(path_);
  if (!isResumed_)
    return;
  for (const fs::path &file : summary::eventFilesIn(path_))
    if (endsWith(file.filename().string(), kEndOfRun))
      fs::remove(file);
  if (checkpoint() == path_ / kOldCheckpoint)
    for (const char *suffix : {"", ".old"})
      if (fs::exists(path_ / (std::string(kOldCheckpoint) + suffix)))
        fs::rename(path_ / (std::string(kOldCheckpoint) + suffix),
                   path_ / (std::string(kCheckpointFolder) + suffix));
}

fs::path RunDirectory::checkpoint() const {
  const auto exists = [this](const std::string &name) {
    return fs::exists(path_ / name) || fs::exists(path_ / (name + ".old"));
  };
  return path_ / (!exists(kCheckpointFolder) && exists(kOldCheckpoint)
                      ? kOldCheckpoint
                      : kCheckpointFolder);
}

std::shared_ptr<summary::EventWriter>
RunDirectory::writer(const std::string &name, unsigned firstStep) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<summary::EventWriter> writer = writers_[name].lock();
  if (writer)
    return writer;
  writer = std::make_shared<summary::EventWriter>(
      path_ / name, reportedTo(report_.ofEpochs(firstStep)));
  if (isResumed_)
    writer->resume(summary::Step(firstEpoch_.index() + firstStep));
  writers_[name] = writer;
  return writer;
}

std::shared_ptr<summary::EventWriter>
RunDirectory::log(summary::Step firstUpdate) const {
  return logNamed("", firstUpdate);
}

std::shared_ptr<summary::EventWriter>
RunDirectory::recorderLog(summary::Step firstUpdate) const {
  return logNamed("recorder", firstUpdate);
}

std::shared_ptr<summary::EventWriter>
RunDirectory::logNamed(const std::string &name,
                       summary::Step firstUpdate) const {
  auto writer = std::make_shared<summary::EventWriter>(
      name.empty() ? path_ : path_ / name, reportedTo(report_.ofUpdates()));
  if (isResumed_)
    writer->resume(firstUpdate);
  const std::lock_guard<std::mutex> lock(mutex_);
  writers_[name] = writer;
  return writer;
}

void RunDirectory::flush() const {
  std::vector<std::shared_ptr<summary::EventWriter>> writers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto &[name, writer] : writers_)
      writers.push_back(writer.lock());
  }
  for (const auto &writer : writers)
    if (writer)
      (void)writer->flush(); // a failure is kept, and reported like any other
}

std::unique_ptr<summary::EventWriter> RunDirectory::endLog() const {
  summary::EventWriterOptions options = reportedTo(report_.ofUpdates());
  options.fileSuffix = kEndOfRun;
  return std::make_unique<summary::EventWriter>(path_, options);
}

} // namespace popscope::host
