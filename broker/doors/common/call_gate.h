// CallGate: where the calls and streams of a door come in to the broker that there is now.
//
// It is open while there is one: a leadership (broker/daemon/leadership.h). Between two of them it
// says where the broker is instead. What a node is asked whoever leads, of its cluster, comes
// through a gate of its own. Every call takes a ticket when it begins, which shows it the way to
// the broker, and keeps it until its transport is done with it. When the gate is closed no more
// tickets are given, calls that wait (for a message, for their client) are told to come to their
// end, and when the last ticket has been given back no client is left. The broker itself may still
// tell streams that have ended; when its threads have ended, too, the gate may be opened for
// another one. Any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "broker/access/guard.h"
#include "broker/requests/backup_control.h"
#include "broker/requests/broker_statistics.h"
#include "broker/requests/clock_control.h"
#include "broker/requests/cluster_control.h"
#include "broker/requests/connection_control.h"
#include "broker/requests/requests.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class CallGate {
 public:
  // What there is behind it.
  struct Broker {
    Requests& requests;
    ClockControl& clock;
    StatisticsSource statistics;
    // Null: nobody has to prove anything.
    access::Guard* guard = nullptr;
    // Of the door that can tell who is connected; null: there is none.
    ConnectionControl* connections = nullptr;
    // Of a broker by itself; a node has it in its own gate. Null: there are none.
    BackupControl* backups = nullptr;
  };
  // What there is behind a gate of the cluster instead.
  struct Node {
    ClusterControl& cluster;
    // Null: nobody has to prove anything.
    access::Guard* guard = nullptr;
    // Null: there are none.
    BackupControl* backups = nullptr;

    // Who may do what is not yet said: nobody could prove anything.
    bool has_no_rules() const;
  };
  // Asks a call to end soon, for this reason; may be called when the call is over already.
  using End = std::function<void(const Status& reason)>;
  // Ends a call that does not come to its end, as a rule because its client does not read what it
  // is told. Must not wait, and not give the ticket back itself.
  using CutOff = std::function<void()>;

  // Of one call. Outlives neither the gate nor the transport's call, unless it was given back.
  class Ticket {
   public:
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    // False if the gate was closed: the call must be refused.
    bool is_valid() const { return is_valid_; }
    // Why, if it is not valid: for a caller who has proven with `guard` who it is, and for others,
    // who are not told who leads and where.
    const Status& refusal() const { return refusal_; }
    Status refusal_of_strangers() const;
    // If it is valid, and the gate leads to one. Also when it was given back, for as long as the
    // broker itself still calls.
    const Broker& broker() const { return *broker_; }
    // The same of one that leads to the cluster.
    const Node& node() const { return *node_; }
    // Null: nobody has to prove anything, or nobody could.
    access::Guard* guard() const { return guard_; }
    // What its caller says it may do, if it is valid; once, before anything is asked. Ok where
    // nobody has to prove anything. When it does not hold any more the call is told to end, within
    // kLapsePace, as if the gate were closed for that reason; and is cut off if it has not come to
    // its end kLapseGrace later.
    Status Prove(std::string_view token);
    // The same of a caller that sends no token, and whose certificate has this subject.
    Status ProveCertificate(std::string_view subject);
    // The same of a caller whom somebody in this process has believed: what that was for.
    Status Accept(access::PermitPtr permit);
    // Null: nothing was proven.
    const access::PermitPtr& permit() const { return permit_; }
    // Calls `end` when the gate is closed, or now if it is; if it was given back, never. Once.
    void OnClose(End end);
    // Gives it back: the call is over for its transport.
    void GiveBack();

   private:
    friend class CallGate;
    struct Entry {
      CutOff cut_off;
      End end;
      access::PermitPtr permit{};
      // After so many more calls of EndLapsed it is cut off. Absent: it was not told to end.
      std::optional<int> looks_left{};
    };
    using Entries = std::list<Entry>;

    // One that is refused.
    Ticket(CallGate& gate, Status refusal, access::Guard* guard);
    Ticket(CallGate& gate, const Broker* broker, const Node* node, Entries::iterator entry);

    Status Take(Result<access::PermitPtr> permit);

    CallGate& gate_;
    const bool is_valid_;
    // One of them if it is valid.
    const Broker* const broker_ = nullptr;
    const Node* const node_ = nullptr;
    access::Guard* const guard_ = nullptr;
    const Status refusal_;
    access::PermitPtr permit_;
    // Nothing if it is not valid, or was given back. Guarded by the gate's mutex.
    std::optional<Entries::iterator> entry_;
  };

  // It begins closed, for this reason.
  explicit CallGate(Status reason) : reason_(std::move(reason)) {}

  // Where the broker is while it is not here, is told only to who proves with this guard that it
  // may ask somewhere. Null: to everybody. Before the gate is used.
  void SetGuardOfRefusals(access::Guard* guard);
  // For calls that come from now on. No ticket of before is left, and the broker of before is gone.
  void Open(const Broker& broker);
  void Open(const Node& node);
  // While it is closed: what comes is refused for this reason from now on. Else nothing happens.
  void Refuse(const Status& reason);
  // From now on tickets are not valid, for this reason; calls that wait are told to end.
  void Close(const Status& reason);
  // Until the last ticket is given back, and nobody is being told to end; false if that takes
  // longer.
  bool WaitUntilNone(Duration patience);
  // Cuts off all who still have a ticket.
  void CutOffAll();
  // Until nobody was refused for so long; at most `patience`.
  void WaitUntilQuiet(Duration quiet, Duration patience);

  Ticket Enter(CutOff cut_off);

  // How often EndLapsed is to be called.
  static constexpr Duration kLapsePace = std::chrono::milliseconds(250);
  // How long a call that was told to end may take for it, while its client reads what it is told.
  static constexpr Duration kLapseGrace = std::chrono::seconds(5);
  // Tells calls to end whose permits do not hold any more: because their time is over, their rule
  // is gone, or the key was replaced that proved it. Each once; whoever does not end is cut off.
  void EndLapsed();

 private:
  // Of what there is behind it.
  access::Guard* guard() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool is_empty() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::condition_variable_any changed_;
  // Absent: it was never open. Stays until the next one.
  std::optional<Broker> broker_ ABSL_GUARDED_BY(mutex_);
  std::optional<Node> node_ ABSL_GUARDED_BY(mutex_);
  access::Guard* guard_of_refusals_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
  Status reason_ ABSL_GUARDED_BY(mutex_);
  std::size_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  // Of the tickets that were not given back.
  Ticket::Entries entries_ ABSL_GUARDED_BY(mutex_);
  // EndLapsed tells calls to end, which may have ended by themselves meanwhile.
  bool tells_lapsed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
