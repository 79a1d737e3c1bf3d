// Host code that a program calls with tensors.
#pragma once

#include <poplar/ArrayRef.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace poplar {

class HostCallback {
public:
  virtual ~HostCallback() = default;
  virtual void operator()(ArrayRef<const void *> inputs,
                          ArrayRef<void *> outputs) = 0;
};

class HostCallbackHandle {
public:
  template <class Callback, class = typename std::enable_if<std::is_base_of<
                                HostCallback, Callback>::value>::type>
  HostCallbackHandle(std::unique_ptr<Callback> callback)
      : callback_(std::move(callback)) {}
  template <class F, class = decltype(std::declval<F &>()(
                         ArrayRef<const void *>(), ArrayRef<void *>()))>
  HostCallbackHandle(F &&f)
      : callback_(new FunctionCallback<typename std::decay<F>::type>(
            std::forward<F>(f))) {}
  HostCallbackHandle(HostCallbackHandle &&) = default;
  HostCallbackHandle &operator=(HostCallbackHandle &&) = default;

  std::unique_ptr<HostCallback> extract() { return std::move(callback_); }

private:
  template <class F> class FunctionCallback : public HostCallback {
  public:
    explicit FunctionCallback(F f) : f_(std::move(f)) {}
    void operator()(ArrayRef<const void *> inputs,
                    ArrayRef<void *> outputs) override {
      f_(inputs, outputs);
    }

  private:
    F f_;
  };

  std::unique_ptr<HostCallback> callback_;
};

} // namespace poplar
