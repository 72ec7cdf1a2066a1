// Condition: whether a request may change something: only as it is, or as it was when it had an
// ETag.
//
// Made of a request's If-Match; asked in the turn of the broker that makes the change. What it said
// there the answer has to know, so whoever asks and whoever answers share it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "storage/base/status.h"

namespace wharf::atom {

class Condition {
 public:
  // The value of If-Match: `*`, or ETags.
  explicit Condition(std::string if_match) : if_match_(std::move(if_match)) {}

  bool is_of_any() const { return if_match_ == "*"; }
  // Whether what has this ETag may be changed.
  Status Check(const std::string& etag) {
    if (is_of_any() || if_match_.find(etag) != std::string::npos) return {};
    is_missed_ = true;
    return {ErrorCode::kInvalidOperation, "it is not as it was when it had this ETag"};
  }
  // Any thread.
  bool is_missed() const { return is_missed_; }

 private:
  const std::string if_match_;
  std::atomic<bool> is_missed_ = false;
};
using ConditionPtr = std::shared_ptr<Condition>;

}  // namespace wharf::atom
