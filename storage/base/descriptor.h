// Descriptor: owns a descriptor of the system, a socket on its way from one owner to the next, and
// closes it where it gets lost on the way. A value that is moved.
#pragma once

#include <utility>

#include <unistd.h>

namespace wharf {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : descriptor_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) Close();
    if (this != &other) descriptor_ = other.Release();
    return *this;
  }

  bool is_open() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  // To whoever owns it from now on.
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  void Close() {
    if (is_open()) ::close(Release());
  }

  int descriptor_ = -1;
};

}  // namespace wharf
