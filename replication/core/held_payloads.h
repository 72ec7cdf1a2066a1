// HeldPayloads: what the entries are for that the core knows by numbers.
//
// The core forgets an entry when it is in the log: it is among the entries of the next Ready, and
// may be in a message of the one after that. So what was held before the Ready before the last is
// not asked for any more. Part of a RaftCore, on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "storage/base/shared_bytes.h"

namespace wharf {

class HeldPayloads {
 public:
  // Its number: never 0, and one more than that of the one before.
  std::uint64_t Hold(SharedBytes payload) {
    held_.push_back(std::move(payload));
    return next() - 1;
  }
  std::uint64_t next() const { return first_ + held_.size(); }

  // Null: nothing has this number, or has it no longer.
  const SharedBytes* Find(std::uint64_t number) const {
    return number >= first_ && number < next() ? &held_[number - first_] : nullptr;
  }

  // From this number on: the core did not take them.
  void DropFrom(std::uint64_t number) {
    while (next() > number) held_.pop_back();
  }

  // A Ready is taken; `begin` was next() before it was.
  void OnReady(std::uint64_t begin) {
    for (; first_ < last_ready_; ++first_) held_.pop_front();
    last_ready_ = begin;
  }

 private:
  std::deque<SharedBytes> held_;
  std::uint64_t first_ = 1;
  // next() when the last Ready was taken.
  std::uint64_t last_ready_ = 1;
};

}  // namespace wharf
