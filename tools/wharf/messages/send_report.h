// SendReport: what became of the messages of `wharf send`, printed as their receipts come.
//
// Any thread may add; the rest is for the main thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/wharf/program.h"
#include "tools/wharf/text/number_ranges.h"

namespace wharf::tool {

class SendReport {
 public:
  SendReport(Program& program, bool is_quiet) : program_(program), is_quiet_(is_quiet) {}

  // `index` counts the messages from 0.
  void Add(std::uint64_t index, const Result<client::SendReceipt>& receipt);

  // The broker is gone, and did not come back: what follows would not be sent either.
  bool is_broken() const { return is_broken_; }
  std::uint64_t acknowledged() const { return acknowledged_; }

  // After the last Add. `is_interrupted`: before the end of the input.
  ExitCode Finish(bool is_interrupted) const;

 private:
  void PrintReceipt(std::uint64_t index, const client::SendReceipt& receipt) const;
  void AddError(std::uint64_t index, const Status& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ExitCode Verdict(bool is_interrupted) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Program& program_;
  const bool is_quiet_;
  std::atomic<bool> is_broken_ = false;
  std::atomic<std::uint64_t> acknowledged_ = 0;
  mutable Mutex mutex_;
  // The numbers count from 1, as people do.
  NumberRanges failed_ ABSL_GUARDED_BY(mutex_);
  NumberRanges unknown_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf::tool
