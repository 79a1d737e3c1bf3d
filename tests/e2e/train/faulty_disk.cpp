// A disk that fails, for a program that is started with this in LD_PRELOAD.
//
// While the file that FAULTY_DISK_SWITCH names is there, what it says happens
// to the files below the directory FAULTY_DISK_ROOT, which are not the switch:
//
//   write ERRNO       half of what is written is, then this error
//   create ERRNO      nothing can be created, nothing written
//   sync ERRNO        fsync fails
//   rename ERRNO      rename fails
//   slow MICROSECONDS every write takes this long
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <sys/uio.h>
#include <unistd.h>

namespace {

template <class Function> Function *original(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

struct Fault {
  std::string what;
  int number = 0;

  bool is(const char *name) const { return what == name; }
};

// The switch is read by system calls that are not replaced.
Fault current() {
  const char *const file = std::getenv("FAULTY_DISK_SWITCH");
  static auto *const open = original<int(const char *, int, ...)>("open");
  const int opened = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (opened < 0)
    return {};
  char text[64] = {};
  const ssize_t got = ::read(opened, text, sizeof text - 1);
  ::close(opened);
  char what[32] = {};
  Fault fault;
  if (got > 0 && std::sscanf(text, "%31s %d", what, &fault.number) == 2)
    fault.what = what;
  return fault;
}

bool isBelowRoot(const char *path) {
  const char *const root = std::getenv("FAULTY_DISK_ROOT");
  return root && std::strncmp(path, root, std::strlen(root)) == 0;
}

bool isBelowRoot(int descriptor) {
  char path[PATH_MAX] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  return ::readlink(link.c_str(), path, sizeof path - 1) > 0 &&
         isBelowRoot(path);
}

Fault faultOf(int descriptor) {
  const int before = errno;
  Fault fault;
  if (isBelowRoot(descriptor))
    fault = current();
  errno = before;
  return fault;
}

// `write` writes that many bytes.
template <class Write>
ssize_t faultyWrite(int descriptor, std::size_t bytes, const Write &write) {
  const Fault fault = faultOf(descriptor);
  if (fault.is("slow"))
    ::usleep(useconds_t(fault.number));
  const bool fails = fault.is("write") && bytes != 0;
  if (fails && bytes > 1)
    return write(bytes / 2);
  if (fails || fault.is("create")) {
    errno = fault.number;
    return -1;
  }
  return write(bytes);
}

template <class Call> int openOrFail(const char *path, int flags, Call call) {
  const int before = errno;
  const Fault fault =
      (flags & O_CREAT) != 0 && isBelowRoot(path) ? current() : Fault();
  errno = before;
  if (!fault.is("create"))
    return call();
  errno = fault.number;
  return -1;
}

mode_t modeOf(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

} // namespace

extern "C" {

ssize_t write(int descriptor, const void *data, size_t bytes) {
  static auto *const real = original<decltype(::write)>("write");
  return faultyWrite(descriptor, bytes, [&](size_t count) {
    return real(descriptor, data, count);
  });
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t at) {
  static auto *const real = original<decltype(::pwrite)>("pwrite");
  return faultyWrite(descriptor, bytes, [&](size_t count) {
    return real(descriptor, data, count, at);
  });
}

ssize_t pwrite64(int descriptor, const void *data, size_t bytes, off64_t at) {
  return pwrite(descriptor, data, bytes, at);
}

// Of streams. A half is left to write(2).
ssize_t writev(int descriptor, const iovec *parts, int count) {
  static auto *const real = original<decltype(::writev)>("writev");
  const Fault fault = faultOf(descriptor);
  if (!fault.is("write") && !fault.is("create"))
    return real(descriptor, parts, count);
  errno = fault.number;
  return -1;
}

int open(const char *path, int flags, ...) {
  static auto *const real = original<int(const char *, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = modeOf(flags, arguments);
  va_end(arguments);
  return openOrFail(path, flags, [&] { return real(path, flags, mode); });
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = modeOf(flags, arguments);
  va_end(arguments);
  return open(path, flags, mode);
}

int fsync(int descriptor) {
  static auto *const real = original<decltype(::fsync)>("fsync");
  const Fault fault = faultOf(descriptor);
  if (!fault.is("sync"))
    return real(descriptor);
  errno = fault.number;
  return -1;
}

int rename(const char *from, const char *to) {
  static auto *const real = original<decltype(::rename)>("rename");
  const Fault fault = isBelowRoot(to) ? current() : Fault();
  if (!fault.is("rename"))
    return real(from, to);
  errno = fault.number;
  return -1;
}
}
