// Receiver: what takes messages from a lane (a stream, a call), with credit that limits how many.
//
// Has exactly the verbs that every door needs: grant, revoke, drain, stop, detach. Owned by the
// Dispatcher, used on the shard's thread; a door has a ReceiverHandle (requests/attachments.h).
#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>

#include "broker/core/messages/message_event.h"
#include "broker/core/queue/queue.h"
#include "broker/requests/delivery_sink.h"

namespace wharf {

// Where receivers stand in line: at a lane, or at one session of it.
struct LineId {
  LaneId lane;
  SessionSerial session{};
  friend auto operator<=>(const LineId&, const LineId&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const LineId& line) {
    return H::combine(std::move(state), line.lane, line.session);
  }
};

class Receiver;

// A receiver's place at one line. It knows where it stands, so that it leaves without a search,
// however many stand there.
struct Seat {
  using List = std::list<Seat*>;

  Receiver& receiver;
  LineId line;
  // Deliveries that it may still get there.
  std::uint64_t left = kUnlimitedDeliveries;
  // It stands in the line, or is parked at its receiver, or neither.
  bool is_waiting = false;
  bool is_parked = false;
  // If it waits or is parked.
  List::iterator place{};
  // Among all seats at the line.
  List::iterator place_at_line{};

  static constexpr std::uint64_t kUnlimitedDeliveries = std::numeric_limits<std::uint64_t>::max();
};

class Receiver {
 public:
  struct Options {
    LaneId lane;
    ReceiveMode mode = ReceiveMode::kPeekLock;
    // Leaves when it has all that is there, once there was something; one that takes messages for
    // good behind the first turn that has any.
    bool is_once = false;
    // Leaves then, if there was nothing. kNever: stays.
    Timestamp wait_until = kNever;
    // Stays when a session ends that it receives from, and takes others.
    bool has_many_sessions = false;
    // Who receives.
    ActorPtr actor{};
  };

  Receiver(HolderId id, HolderId holder, Options options, std::shared_ptr<DeliverySink> sink)
      : id_(id), holder_(holder), options_(options), sink_(std::move(sink)) {}

  HolderId id() const { return id_; }
  // The holder of what it receives: itself, or all calls of its connection together.
  HolderId holder() const { return holder_; }
  const Options& options() const { return options_; }
  DeliverySink& sink() const { return *sink_; }

  void Grant(const Credit& credit);
  void Revoke(const Credit& credit);
  // Throws away all credit and says how much it was.
  Credit TakeCredit();

  // Whether a message of this size may be delivered now. One that is larger than the bytes left
  // may, when nothing is outstanding; of an answer, when it is the first.
  bool CanTake(std::int64_t size) const;
  void Spend(std::int64_t size);
  // The door handed deliveries to its transport.
  void NoteWritten(std::size_t messages, std::int64_t bytes);
  // Whether more deliveries would only wait at the door: a client that does not read fills no
  // memory.
  bool is_pipe_full() const;
  // A message that was delivered to it is settled, or its lock ended.
  void NoteFreed() { outstanding_ -= outstanding_ > 0 ? 1 : 0; }

  bool has_credit() const { return credit_.messages > 0; }
  bool has_received() const { return received_ > 0; }
  // How many it was given, and how many of them are durable and were told.
  std::size_t received() const { return received_; }
  std::size_t told() const { return told_; }
  void NoteTold(std::size_t messages) { told_ += messages; }
  // The log refused it: they were not given.
  void NoteNotGiven(std::size_t messages) { received_ -= messages; }

  // State of the Dispatcher.
  bool is_draining = false;
  bool is_stopped = false;
  bool is_detached = false;
  std::map<LineId, Seat> seats;
  // Seats that left their line because nothing more could be taken.
  Seat::List parked;

 private:
  const HolderId id_;
  const HolderId holder_;
  const Options options_;
  const std::shared_ptr<DeliverySink> sink_;
  Credit credit_{0, std::uint64_t{0}};
  std::uint64_t outstanding_ = 0;
  std::size_t received_ = 0;
  std::size_t told_ = 0;
  // Delivered and not written yet.
  std::size_t unwritten_messages_ = 0;
  std::int64_t unwritten_bytes_ = 0;
};

}  // namespace wharf
