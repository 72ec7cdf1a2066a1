// MixedLoad: everybody who works with a broker in all the ways that there are, and writes a history
// of it; what is there before they begin, and how all of it is taken out at the end.
//
// Made by a run, which says when a life of the broker begins and how it ends. Used on its thread;
// while Work goes on, progress and recorder on any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/crash/clients/recorded_client.h"
#include "tools/crash/history/held_locks.h"
#include "tools/crash/history/recorder.h"
#include "tools/crash/load/exchange_book.h"
#include "tools/crash/load/queue_changer.h"
#include "tools/crash/load/redriver.h"
#include "tools/crash/load/worker.h"
#include "tools/crash/runs/dice.h"
#include "tools/crash/runs/doors.h"
#include "tools/crash/runs/progress.h"

namespace wharf::crash {

class MixedLoad {
 public:
  explicit MixedLoad(const Doors& doors);

  // Eight more senders and eight more receivers.
  void AddFullLoad();

  // Once: makes the queues.
  Status Prepare(const std::string& address);
  // Before anybody works: what is there, and what the broker says is there.
  Status TakeStock(const std::string& address);
  // Everybody, each on a thread of its own, until the broker is gone or progress is stopped.
  void Work(const Addresses& addresses, Dice& dice);
  // Everything is received and completed, also what is locked by those who lost it.
  Status Drain(const std::string& address);

  Recorder& recorder() { return recorder_; }
  Progress& progress() { return progress_; }
  // When nobody works.
  const History& history() const { return recorder_.history(); }

 private:
  void MakeWorkers();
  // Clients of this door, as there may be of every door.
  void AddClientsOfGrpc();
  void AddClientsOfAmqp();
  void AddClientsOfRest();
  Status SettleHeld(RecordedClient& client);
  Status AwaitExpiry(RecordedClient& client, QueueIndex queue);
  Status DrainQueue(RecordedClient& client, QueueIndex queue);
  static Status DrainLane(RecordedClient& client, const Source& source);
  static Status DrainSession(RecordedClient& client, QueueIndex queue);
  static Status DrainDeferred(RecordedClient& client, QueueIndex queue);

  const Doors doors_;
  Recorder recorder_;
  Progress progress_;
  HeldLocks held_locks_;
  LoadQueues queues_;
  // Of the workers.
  QueueChanger* changer_ = nullptr;
  Redriver* redriver_ = nullptr;
  std::vector<ExchangeBook*> exchanges_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace wharf::crash
