// ModelRun: random operations from a seed on the broker and on the model of its queue; they must
// agree about everything.
//
//   model_run.cc             the steps, and what concerns the whole queue
//   model_run_delivery.cc    sending, receiving, settling
//   model_run_number.cc      messages that are named by their numbers, scheduled ones among them
//   model_run_look.cc        peeks, lists and the accounts
//
// A disagreement is a failure of the test that runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/engine/model/model.h"
#include "tests/harness/engine_harness.h"

namespace wharf {

class ModelRun {
 public:
  explicit ModelRun(std::uint64_t seed, bool is_on_disk = false);

  void Step();
  // The counters are those of a recount, and those of the model.
  void CheckAccounts();

 private:
  // A lock that some client was given.
  struct Remembered {
    LaneKind lane;
    LockToken token;
  };

  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  std::int64_t Count(LaneKind kind) const {
    return static_cast<std::int64_t>(model_->messages(kind).size());
  }
  Timestamp now() { return engine_.clock().Now(); }
  LaneKind AnyLane() { return Below(3) == 0 ? LaneKind::kDeadLetter : LaneKind::kMain; }
  static std::string PathOf(LaneKind lane) {
    return lane == LaneKind::kMain ? "orders" : "Orders/$deadletterqueue";
  }

  QueueDescription AnyDescription();
  void Create();
  void Update();
  void RecreateSometimes();
  void DeleteOldest();
  void Redrive();
  void PurgeSometimes();
  void Advance();
  void CrashSometimes();
  void FloodSometimes();
  void Restart();

  std::string AnyBody();
  Message AnyMessage();
  std::optional<std::string> AnyPartitionKey();
  // Often in the past.
  Timestamp AnyTime() {
    return now() + std::chrono::seconds(Below(100)) - std::chrono::seconds(20);
  }
  void Send();
  void Receive();
  // The broker handed out the message `number`.
  void TakeOne(const Delivered& delivered, LaneKind lane, std::uint64_t number, bool is_delete);
  // A token: of a lock that lives, has ended, or was settled; or of none.
  Remembered AnyToken();
  Settlement AnySettlement();
  void Settle();
  void Renew();

  // Near the numbers of some partition.
  std::uint64_t AnyNumber();
  // Near those that there are, in any state or none.
  std::vector<std::uint64_t> AnyNumbers();
  // One that satisfies `is_meant`, if there is any; else some number.
  template <typename Map, typename IsMeant>
  std::vector<std::uint64_t> OneOf(const Map& map, IsMeant is_meant);
  std::vector<std::uint64_t> SomeDeferred(LaneKind lane);
  std::vector<std::uint64_t> SomeScheduled();
  void ReceiveDeferred();
  void Undefer();
  void ReceiveOne();
  void SettleOne();
  void CancelScheduled();
  void Reschedule();
  void Activate();

  static void Check(const Delivered& delivered, const ModelMessage& expected);
  void ListScheduled();
  // Waiting and scheduled messages in one order, as far as the filter shows them.
  std::vector<std::uint64_t> Shown(LaneKind lane, PeekFilter filter, std::uint64_t from,
                                   std::uint32_t delivery_count_min) const;
  void Peek();

  SeededRandom random_;
  EngineHarness engine_;
  std::unique_ptr<ModelQueue> model_;
  std::vector<Remembered> tokens_;
  std::uint64_t bodies_ = 0;
  bool detects_duplicates_ = false;
  enum class Order { kPlain, kPriority, kPartitions };
  Order order_ = Order::kPlain;
};

}  // namespace wharf
