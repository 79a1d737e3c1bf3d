// Callbacks that provide or receive the data of a stream.
#pragma once

#include <poplar/ArrayRef.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace poplar {

class StreamCallbackBase {
public:
  enum class Result { Success, NotAvailable };
  virtual ~StreamCallbackBase() = default;
  // Called when the transfer of the data from the last fetch or successful
  // prefetch is done.
  virtual void complete() {}
  // Prefetched data that were not transferred yet will never be used.
  virtual void invalidatePrefetched() {}
};

class StreamCallback : public StreamCallbackBase {
public:
  // Fills `p` with the data of the next transfer if available. Called for
  // host-to-device streams only, and only if the engine's options allow it.
  virtual Result prefetch(void *p) = 0;
  // Fills `p` (host to device) or reads it (device to host). `p` is valid
  // during the call only.
  virtual void fetch(void *p) = 0;
};

// A callback that never prefetches.
class LegacyStreamCallback : public StreamCallback {
public:
  Result prefetch(void *) final override { return Result::NotAvailable; }
  void invalidatePrefetched() final override {}
  void complete() final override {}
};

// Owns a callback: a StreamCallback, or anything callable with a void *.
class StreamCallbackHandle {
public:
  template <class Callback, class = typename std::enable_if<std::is_base_of<
                                StreamCallback, Callback>::value>::type>
  StreamCallbackHandle(std::unique_ptr<Callback> callback)
      : callback_(std::move(callback)) {
    if (!callback_)
      throw std::invalid_argument("null stream callback");
  }
  template <class F,
            class = decltype(std::declval<F &>()(static_cast<void *>(nullptr)))>
  StreamCallbackHandle(F &&f)
      : callback_(new FunctionCallback<typename std::decay<F>::type>(
            std::forward<F>(f))) {}
  StreamCallbackHandle(StreamCallbackHandle &&) = default;
  StreamCallbackHandle &operator=(StreamCallbackHandle &&) = default;
  StreamCallbackHandle(const StreamCallbackHandle &) = delete;
  StreamCallbackHandle &operator=(const StreamCallbackHandle &) = delete;

  std::unique_ptr<StreamCallback> extract() { return std::move(callback_); }

private:
  template <class F> class FunctionCallback : public LegacyStreamCallback {
  public:
    explicit FunctionCallback(F f) : f_(std::move(f)) {}
    void fetch(void *p) override { f_(p); }

  private:
    F f_;
  };

  std::unique_ptr<StreamCallback> callback_;
};

} // namespace poplar

#include <poplar/HostFunctionCallback.hpp>
