// PowerClients: the clients of one queue, who do at random whatever can be done with it, and write
// down what they heard.
//
//   power_clients.cc          sending, receiving, settling
//   power_clients_number.cc   messages that are named by their numbers, scheduled ones among them
//   power_clients_queue.cc    what concerns the whole queue: purges, jobs, updates, deletion, time
//   power_clients_check.cc    looking, and what must hold after a restart
//
// A step is a few requests at once or one of those that concern the whole queue; it ends when all
// are answered. They live longer than the broker, which is another after each cut. Used by the
// engine's power test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/harness/broker_life.h"
#include "tests/power/power_history.h"

namespace wharf {

class PowerClients {
 public:
  explicit PowerClients(std::uint64_t seed) : random_(seed) {}

  // The broker after a start; the clock does not go back.
  void Meet(BrokerLife& life);
  // False if the broker did not answer, because the power is off.
  bool Step();

  // What must hold after a restart.
  void Check();

 private:
  // A message as a client sees it.
  struct Seen {
    std::string body;
    std::uint64_t number = 0;
    LaneKind lane = LaneKind::kMain;
    Places place = 0;
  };
  struct RememberedId {
    std::string body;
    Timestamp forget_after;
    // False: nobody knows whether the message was accepted.
    bool is_certain = false;
  };
  struct BegunJob {
    Doubt ways;
    // Unknown if the answer was lost.
    std::optional<JobId> id;
  };

  std::uint64_t Below(std::uint64_t limit) { return random_.Next() % limit; }
  EngineHarness& engine() { return life_->engine(); }
  Broker& broker() { return engine().broker(); }
  Timestamp now() { return engine().clock().Now(); }
  LaneKind AnyLane() { return Below(4) == 0 ? LaneKind::kDeadLetter : LaneKind::kMain; }
  static std::string PathOf(LaneKind lane);
  // Some message that was seen in one of the places.
  const Seen* Any(Places places);

  // One of a few requests at once; false if there is nothing to ask.
  bool Ask();
  void AskAlone();

  void Send();
  Message AnyMessage(bool may_have_id);
  Message OfWave(Duration life);
  void NoteSent(const Message& message, const Result<SendOutcome>& outcome);
  void NoteAccepted(const Message& message);
  void NoteLostSend(const Message& message);
  void Receive();
  void NoteDelivered(const Delivered& delivered, LaneKind lane, ReceiveMode mode, Places from);
  bool Settle();
  Settlement AnySettlement(LaneKind lane);
  void NoteSettled(const std::string& body, const Held& held, const Settlement& settlement);
  Places AfterSettle(const Known& known, LaneKind lane, const Settlement& settlement);

  bool ReceiveDeferred();
  bool Undefer();
  bool ReceiveOne();
  bool SettleOne();
  bool CancelScheduled();
  bool Reschedule();
  bool Activate();
  // What an answer to a request for one message says: it was in one of the places `from`, and is in
  // one of `places` now; if the answer was lost, perhaps.
  void NoteAnswer(const Status& status, const Seen& seen, Places from, Places places);
  void NoteExpiry(const std::string& body);
  void NoteTimes(const std::string& body, Timestamp enqueued_at);
  void AskDelivery(const Seen& seen, bool is_deferred);

  void Advance();
  void DeleteOldest();
  void Purge();
  void BeginJob();
  void Update();
  void Recreate();
  void CreateQueue();
  void NoteDeleted();
  void NoteDescription(const QueueDescription& description);
  QueueDescription AnyDescription();
  void ShowJobs();
  void NoteJobs();

  // Looks at everything, and knows from then on where each message is. False if that failed.
  bool Look();
  bool LookAt(LaneKind lane, std::vector<PeekedMessage>& found);
  void NoteSeen(const PeekedMessage& peeked, LaneKind lane);
  void CheckQueue();
  void CheckLocks();
  void CheckWaiting(LaneKind lane);
  void CheckIds();
  void CheckJobs();
  void CheckAccounts();

  SeededRandom random_;
  BrokerLife* life_ = nullptr;
  PowerHistory history_;
  std::vector<Seen> seen_;
  std::map<std::string, RememberedId> ids_;
  std::vector<BegunJob> jobs_;
  // As the queue may be described: one, or two after an update whose answer was lost.
  std::vector<QueueDescription> descriptions_;
  EntityId entity_;
  // The answer to its deletion, or to its creation thereafter, was lost.
  bool may_be_deleted_ = true;
  std::uint64_t names_ = 0;
  Timestamp latest_;
  std::size_t under_way_ = 0;
  std::uint64_t batches_ = 0;
};

}  // namespace wharf
