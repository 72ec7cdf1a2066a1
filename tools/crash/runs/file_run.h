// FileRun: every line of a file through the broker, while the broker is killed in mid-flight.
//
// First all lines are sent, then all are received and completed; half of the kills fall into each.
// What had no answer is done again: lines are sent anew, and messages that were locked when the
// broker died are completed with their tokens, which outlive it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "tools/client/client.h"
#include "tools/crash/history/line_ledger.h"
#include "tools/crash/runs/dice.h"
#include "tools/crash/runs/killable_broker.h"
#include "tools/crash/runs/progress.h"

namespace wharf::crash {

class FileRun {
 public:
  struct Options {
    std::uint64_t kills = 5;
    std::uint64_t seed = 1;
    // Hears a sentence about every kill.
    std::function<void(std::string_view)> tell;
  };

  // The broker is new, and outlives it.
  FileRun(Options options, KillableBroker& broker, LineLedger& ledger);

  // An error if it cannot go on.
  Status Run();

  std::uint64_t kills() const { return kills_; }

 private:
  // What callbacks of one life leave behind.
  struct Unanswered {
    std::atomic<std::uint64_t> count = 0;
    std::atomic<bool> is_broken = false;
  };

  Status Connect();
  Status Stop();
  // Lets the broker die when as many things were acknowledged as this life's share of `left`.
  void ArmKill(std::uint64_t left, std::uint64_t kills_left);
  Status EndLife(std::string_view doing, const Unanswered& unanswered);

  Status SendAll(std::uint64_t kills);
  void SendLines(Unanswered& unanswered);
  Status ReceiveAll(std::uint64_t kills);
  Status SettleOpen();
  // True when the queue is empty, false when the broker is gone.
  Result<bool> ReceiveLines(Unanswered& unanswered);
  void Complete(client::Receiver& receiver, const v1::ReceivedMessage& message,
                Unanswered& unanswered);
  void OnCompleted(const std::string& token, const Status& status, Unanswered& unanswered);

  const Options options_;
  KillableBroker& broker_;
  LineLedger& ledger_;
  Dice dice_;
  Progress progress_;
  std::uint64_t kills_ = 0;

  Mutex mutex_;
  // The locks we have, by token, with the numbers of their messages.
  std::map<std::string, std::int64_t> open_ ABSL_GUARDED_BY(mutex_);
  // The first refusal that is no fault of a kill.
  Status refused_ ABSL_GUARDED_BY(mutex_);

  std::optional<client::Client> client_;
};

}  // namespace wharf::crash
