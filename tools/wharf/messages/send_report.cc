#include "tools/wharf/messages/send_report.h"

#include "tools/client/reconnection.h"
#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

constexpr std::uint64_t kErrorsPrintedMax = 10;

}  // namespace

void SendReport::Add(std::uint64_t index, const Result<client::SendReceipt>& receipt) {
  MutexLock lock(mutex_);
  if (!receipt.ok()) return AddError(index, receipt.status());
  acknowledged_++;
  if (!is_quiet_) PrintReceipt(index, *receipt);
}

void SendReport::PrintReceipt(std::uint64_t index, const client::SendReceipt& receipt) const {
  if (program_.is_json) {
    const char* key = receipt.is_duplicate ? "duplicate_of" : "sequence_number";
    program_.out.PrintJson({{"index", index}, {key, receipt.sequence_number}});
  } else {
    program_.out.Print("{}{}\n", receipt.is_duplicate ? "duplicate of " : "",
                       receipt.sequence_number);
  }
}

void SendReport::AddError(std::uint64_t index, const Status& status) {
  const bool is_unknown = status.outcome() == Outcome::kUnknown;
  const auto number = static_cast<std::int64_t>(index) + 1;
  (is_unknown ? unknown_ : failed_).Add(number);
  if (client::Reconnection::IsLost(status) && !is_unknown) is_broken_ = true;
  if (program_.is_json) {
    program_.out.PrintJson({{"index", index},
                            {"error", ReasonOf(status.code())},
                            {"message", status.message()},
                            {"outcome", is_unknown ? "unknown" : "not-done"}});
  }
  if (failed_.count() + unknown_.count() > kErrorsPrintedMax) return;
  program_.err.Print("wharf: message {}: {}{}\n", number, Printable(status.ToString()),
                     is_unknown ? " (outcome unknown)" : "");
}

ExitCode SendReport::Finish(bool is_interrupted) const {
  MutexLock lock(mutex_);
  const std::uint64_t bad = failed_.count() + unknown_.count();
  if (bad > kErrorsPrintedMax) {
    program_.err.Print("wharf: ... and {} more\n", bad - kErrorsPrintedMax);
    if (failed_.count() > 0) program_.err.Print("wharf: failed: {}\n", failed_.ToString());
    if (unknown_.count() > 0) program_.err.Print("wharf: unknown: {}\n", unknown_.ToString());
  }
  if (!is_quiet_ || bad > 0 || is_interrupted) {
    program_.err.Print("{}{} acknowledged, {} failed, {} unknown\n",
                       is_interrupted ? "interrupted: " : "", acknowledged_.load(), failed_.count(),
                       unknown_.count());
  }
  return Verdict(is_interrupted);
}

ExitCode SendReport::Verdict(bool is_interrupted) const {
  if (unknown_.count() > 0) return ExitCode::kUnknown;
  if (is_interrupted) return ExitCode::kInterrupted;
  if (is_broken_) return ExitCode::kNotReachable;
  return failed_.count() > 0 ? ExitCode::kFailed : ExitCode::kOk;
}

}  // namespace wharf::tool
