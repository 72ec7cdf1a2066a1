// SettlementFailures: the messages that could not be settled, told together at the end: one line
// for each reason, with their numbers.
//
// Used by `wharf receive`. Any thread may add; the rest is for when all settlements are answered.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/client/client.h"
#include "tools/wharf/program.h"
#include "tools/wharf/text/number_ranges.h"

namespace wharf::tool {

// A message that is locked for us.
struct Held {
  std::string lock_token;
  std::int64_t number = 0;
};

class SettlementFailures {
 public:
  // What became of the settlement of `messages`.
  void Add(const std::vector<Held>& messages, const Result<client::SettleReceipt>& receipt);

  // kOk if there are none.
  ExitCode Report(Program& program) const;

 private:
  struct Failure {
    NumberRanges numbers;
    std::string sentence;  // Of the first.
  };
  using Reason = std::pair<ErrorCode, Outcome>;

  void AddOne(std::int64_t number, const Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::map<Reason, Failure> failures_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::tool
