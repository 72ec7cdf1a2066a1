// ReadGate: which calls and streams may read a request from their clients now.
//
// How long a request is nobody knows before it is in memory as a whole. So there are a few places,
// each of which stands for the largest one; what has no place does not read, and flow control keeps
// its request with the client. Connections take turns, and none has all places, so that a client
// with a thousand calls does not stand before the one call of another. How many calls wait is
// bounded, and how long: then they are refused, and nothing was read. A stream waits as long as it
// takes: it may have nothing to send, and then nobody would understand why it ends; how many there
// are is bounded by their connections. Streams have no more than half of the places, of all and of
// each connection, so that however many of them have nothing to send, calls go on. What holds a
// place for long while others wait, because its client does not deliver, loses it.
//
// Long answers wait in the same way for a place to stand in until their clients have read them, at
// a gate of their own.
//
// Used by the calls and streams of a door; any thread. Readers are called back on the thread that
// enters, leaves, ticks or closes, without a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "storage/base/clock.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class ReadGate {
 public:
  struct Limits {
    std::size_t places;
    std::size_t places_of_one;  // Connection.
    std::size_t waiting;        // Hurried readers in all.
    Duration wait;              // Of one of them.
    // No reader loses its place to one of its own connection.
    bool spares_own = false;
  };
  // Stands for one: a hash of its name. Two that share it share their turns.
  using Connection = std::uint64_t;
  // Of one that waits: it is refused after a while, or only when the gate is closed.
  enum class Patience : std::uint8_t { kBounded, kEndless };

  // A call or a stream, for as long as it reads one request.
  class Reader {
   public:
    virtual ~Reader() = default;
    // It has a place: it reads now, and leaves when its request is no more its own.
    virtual void OnPlace() = 0;
    // It waited, or wanted to, and gets none; it has left.
    virtual void OnRefused(const Status& reason) = 0;
    // Its place is another's now, or the gate was closed; it has left. Its request may have come in
    // this moment, and then this means nothing.
    virtual void OnPlaceLost(const Status& reason) = 0;

   private:
    friend class ReadGate;
    enum class Stage : std::uint8_t { kOutside, kWaiting, kReading };

    // All of them are guarded by the gate's mutex.
    Stage stage_ = Stage::kOutside;
    Connection connection_ = 0;
    Duration hold_{};
    Patience patience_ = Patience::kBounded;
    // When it came to this stage.
    Timestamp since_;
    // In its line; among the places.
    std::list<std::shared_ptr<Reader>>::iterator waiting_at_;
    std::size_t place_ = 0;
  };

  ReadGate(const Limits& limits, Clock& clock);

  // It was outside. Its place, once it has one, is safe for `hold`, and for as long as nobody
  // waits.
  void Enter(std::shared_ptr<Reader> reader, Connection connection, Duration hold,
             Patience patience);
  // For one that does not wait: true if it has a place now, of which it is not called back.
  bool TryEnter(std::shared_ptr<Reader> reader, Connection connection, Duration hold);
  // For one that cannot be refused: it has a place from now on, also beyond those that there are.
  void EnterAnyway(std::shared_ptr<Reader> reader, Connection connection, Duration hold);
  // Whether the connection has fewer places than one may have.
  bool HasShareLeft(Connection connection);
  // Whatever it did. True if it was waiting: then it is called back no more.
  bool Leave(Reader& reader);

  // Refuses those that have waited too long and takes places from those that have held them too
  // long. To be called now and then.
  void Tick();
  // From now on nothing is read, for this reason, also by those that have a place.
  void Close(const Status& reason);
  void Open();

 private:
  using Readers = std::vector<std::shared_ptr<Reader>>;
  // Of one patience, of one connection: those that wait, in the order in which they came.
  struct Queue {
    std::list<std::shared_ptr<Reader>> readers{};
    // If any wait.
    std::list<Connection>::iterator turn{};
  };
  // Those that have a place.
  struct Reading {
    std::size_t all = 0;
    std::size_t patient = 0;
  };
  // Of one connection.
  struct Line {
    Queue& of(Patience patience) { return patience == Patience::kBounded ? hurried : patient; }
    const Queue& of(Patience patience) const {
      return patience == Patience::kBounded ? hurried : patient;
    }
    bool is_idle() const {
      return reading.all == 0 && hurried.readers.empty() && patient.readers.empty();
    }

    Reading reading{};
    Queue hurried{};
    Queue patient{};
  };
  // Connections of which any wait, in the order in which they are served.
  using Turns = std::list<Connection>;
  // Calls that are due when the lock is gone.
  struct Calls {
    Readers placed{};
    Readers refused{};
    Readers lost{};
    Status reason{};
  };

  bool HasPlaceFor(Patience patience) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool CanRead(const Line& line, Patience patience) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Turns& turns(Patience patience) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasWaiting() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // It has a place from now on, or no longer.
  void CountPlaced(const Reader& reader) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountGone(const Reader& reader) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Place(std::shared_ptr<Reader> reader, Timestamp now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PlaceAtOnce(std::shared_ptr<Reader> reader, Connection connection, Duration hold,
                   Timestamp now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StandInLine(std::shared_ptr<Reader> reader, Timestamp now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Reader> TakeFromPlace(std::size_t place) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Reader> TakeFromLine(Reader& reader) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropIfIdle(Connection connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // The next that gets a place, of another connection than that; null if there is none, or no
  // place.
  Reader* FindNext(std::optional<Connection> but_of = {}) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Reader* FindNext(Patience patience, std::optional<Connection> but_of)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Reader> TakeNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PlaceNext(Timestamp now, Calls& calls) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsInTheWay(const Reader& reader) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Reader* FindOverdue(Timestamp now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeOverdue(Timestamp now, Calls& calls) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RefuseOverdue(Timestamp now, Calls& calls) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  static void Do(const Calls& calls);

  const Limits limits_;
  Clock& clock_;

  Mutex mutex_;
  // Ok while it is open.
  Status closed_for_ ABSL_GUARDED_BY(mutex_);
  // Those that have a place, and how many they are.
  Readers places_ ABSL_GUARDED_BY(mutex_);
  Reading reading_ ABSL_GUARDED_BY(mutex_);
  // Hurried ones.
  std::size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;
  // Of connections that read or wait.
  absl::flat_hash_map<Connection, Line> lines_ ABSL_GUARDED_BY(mutex_);
  Turns hurried_turns_ ABSL_GUARDED_BY(mutex_);
  Turns patient_turns_ ABSL_GUARDED_BY(mutex_);
  // The last place went to a hurried one, though others waited perhaps.
  bool is_patients_turn_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace wharf
