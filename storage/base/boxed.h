// Boxed: a value that stands elsewhere in memory, so that what holds it stays small.
//
// For the large and rare among the kinds of a variant, which is as large as the largest of them. A
// copy has a value of its own; one that was moved from may only be assigned to, or go.
#pragma once

#include <memory>
#include <utility>

namespace wharf {

template <typename T>
class Boxed {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a value becomes one where it is asked for.
  Boxed(T value) : value_(std::make_unique<const T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(std::make_unique<const T>(*other.value_)) {}
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed&&) noexcept = default;
  ~Boxed() = default;

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<const T> value_;
};

}  // namespace wharf
