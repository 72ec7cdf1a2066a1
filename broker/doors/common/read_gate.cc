#include "broker/doors/common/read_gate.h"

#include <algorithm>
#include <utility>

namespace wharf {
namespace {

Status TooManyWait() {
  return {ErrorCode::kServiceBusy,
          "the broker has more requests waiting to be read than it can take; this one was not read "
          "and nothing was done"};
}

Status WaitedTooLong() {
  return {ErrorCode::kServiceBusy,
          "the request waited too long until the broker had room to read it; it was not read and "
          "nothing was done"};
}

Status CameTooSlowly() {
  return {ErrorCode::kServiceBusy,
          "the request came too slowly, and others wait for the room that it takes; nothing was "
          "done, send less at a time"};
}

// What patient readers may have of so many places.
std::size_t Half(std::size_t places) { return std::max<std::size_t>(places / 2, 1); }

}  // namespace

ReadGate::ReadGate(const Limits& limits, Clock& clock) : limits_(limits), clock_(clock) {
  MutexLock lock(mutex_);
  places_.reserve(limits_.places);
}

// If there is a place that it may have, none of its kind waits in its connection: that would have
// it.
void ReadGate::Enter(std::shared_ptr<Reader> reader, Connection connection, Duration hold,
                     Patience patience) {
  const Timestamp now = clock_.Now();
  Reader& entering = *reader;
  Calls calls;
  bool has_place = false;
  {
    MutexLock lock(mutex_);
    entering.connection_ = connection;
    entering.hold_ = hold;
    entering.patience_ = patience;
    const bool may_wait = patience == Patience::kEndless || waiting_ < limits_.waiting;
    has_place = closed_for_.ok() && CanRead(lines_[connection], patience);
    if (has_place) {
      Place(reader, now);
    } else if (closed_for_.ok() && may_wait) {
      StandInLine(std::move(reader), now);
      TakeOverdue(now, calls);
    } else {
      DropIfIdle(connection);
      calls.reason = closed_for_.ok() ? TooManyWait() : closed_for_;
      calls.refused.push_back(std::move(reader));
    }
  }
  if (has_place) return entering.OnPlace();
  Do(calls);
}

bool ReadGate::TryEnter(std::shared_ptr<Reader> reader, Connection connection, Duration hold) {
  const Timestamp now = clock_.Now();
  MutexLock lock(mutex_);
  if (!closed_for_.ok() || !CanRead(lines_[connection], Patience::kBounded)) {
    DropIfIdle(connection);
    return false;
  }
  PlaceAtOnce(std::move(reader), connection, hold, now);
  return true;
}

void ReadGate::EnterAnyway(std::shared_ptr<Reader> reader, Connection connection, Duration hold) {
  const Timestamp now = clock_.Now();
  MutexLock lock(mutex_);
  PlaceAtOnce(std::move(reader), connection, hold, now);
}

void ReadGate::PlaceAtOnce(std::shared_ptr<Reader> reader, Connection connection, Duration hold,
                           Timestamp now) {
  reader->connection_ = connection;
  reader->hold_ = hold;
  reader->patience_ = Patience::kBounded;
  Place(std::move(reader), now);
}

bool ReadGate::HasShareLeft(Connection connection) {
  MutexLock lock(mutex_);
  const auto line = lines_.find(connection);
  return line == lines_.end() || line->second.reading.all < limits_.places_of_one;
}

bool ReadGate::Leave(Reader& reader) {
  std::shared_ptr<Reader> left;  // The last reference may be ours.
  Calls calls;
  {
    MutexLock lock(mutex_);
    if (reader.stage_ == Reader::Stage::kOutside) return false;
    if (reader.stage_ == Reader::Stage::kWaiting) {
      left = TakeFromLine(reader);
      return true;
    }
    left = TakeFromPlace(reader.place_);
    if (!HasWaiting()) return false;
    PlaceNext(clock_.Now(), calls);
  }
  Do(calls);
  return false;
}

void ReadGate::Tick() {
  const Timestamp now = clock_.Now();
  Calls slow;
  Calls late;
  {
    MutexLock lock(mutex_);
    if (!HasWaiting()) return;
    TakeOverdue(now, slow);
    RefuseOverdue(now, late);
  }
  Do(slow);
  Do(late);
}

void ReadGate::Close(const Status& reason) {
  Calls calls;
  {
    MutexLock lock(mutex_);
    closed_for_ = reason;
    calls.reason = reason;
    while (!places_.empty()) calls.lost.push_back(TakeFromPlace(places_.size() - 1));
    for (const Patience patience : {Patience::kBounded, Patience::kEndless}) {
      while (!turns(patience).empty()) {
        Line& line = lines_[turns(patience).front()];
        calls.refused.push_back(TakeFromLine(*line.of(patience).readers.front()));
      }
    }
  }
  Do(calls);
}

void ReadGate::Open() {
  MutexLock lock(mutex_);
  closed_for_ = Status::Ok();
}

bool ReadGate::HasPlaceFor(Patience patience) const {
  if (reading_.all >= limits_.places) return false;
  return patience == Patience::kBounded || reading_.patient < Half(limits_.places);
}

bool ReadGate::CanRead(const Line& line, Patience patience) const {
  if (!HasPlaceFor(patience) || line.reading.all >= limits_.places_of_one) return false;
  return patience == Patience::kBounded || line.reading.patient < Half(limits_.places_of_one);
}

ReadGate::Turns& ReadGate::turns(Patience patience) {
  return patience == Patience::kBounded ? hurried_turns_ : patient_turns_;
}

bool ReadGate::HasWaiting() const { return !hurried_turns_.empty() || !patient_turns_.empty(); }

void ReadGate::CountPlaced(const Reader& reader) {
  for (Reading* const reading : {&reading_, &lines_[reader.connection_].reading}) {
    ++reading->all;
    if (reader.patience_ == Patience::kEndless) ++reading->patient;
  }
}

void ReadGate::CountGone(const Reader& reader) {
  for (Reading* const reading : {&reading_, &lines_[reader.connection_].reading}) {
    --reading->all;
    if (reader.patience_ == Patience::kEndless) --reading->patient;
  }
}

void ReadGate::Place(std::shared_ptr<Reader> reader, Timestamp now) {
  CountPlaced(*reader);
  reader->stage_ = Reader::Stage::kReading;
  reader->since_ = now;
  reader->place_ = places_.size();
  places_.push_back(std::move(reader));
}

void ReadGate::StandInLine(std::shared_ptr<Reader> reader, Timestamp now) {
  Reader& queued = *reader;
  queued.stage_ = Reader::Stage::kWaiting;
  queued.since_ = now;
  Queue& others = lines_[queued.connection_].of(queued.patience_);
  if (others.readers.empty()) {
    Turns& all = turns(queued.patience_);
    others.turn = all.insert(all.end(), queued.connection_);
  }
  if (queued.patience_ == Patience::kBounded) ++waiting_;
  queued.waiting_at_ = others.readers.insert(others.readers.end(), std::move(reader));
}

// The last one takes its place in the row.
std::shared_ptr<ReadGate::Reader> ReadGate::TakeFromPlace(std::size_t place) {
  std::swap(places_[place], places_.back());
  places_[place]->place_ = place;
  std::shared_ptr<Reader> taken = std::move(places_.back());
  places_.pop_back();
  taken->stage_ = Reader::Stage::kOutside;
  CountGone(*taken);
  DropIfIdle(taken->connection_);
  return taken;
}

std::shared_ptr<ReadGate::Reader> ReadGate::TakeFromLine(Reader& reader) {
  Queue& others = lines_[reader.connection_].of(reader.patience_);
  std::shared_ptr<Reader> taken = std::move(*reader.waiting_at_);
  others.readers.erase(taken->waiting_at_);
  if (taken->patience_ == Patience::kBounded) --waiting_;
  taken->stage_ = Reader::Stage::kOutside;
  if (others.readers.empty()) turns(taken->patience_).erase(others.turn);
  DropIfIdle(taken->connection_);
  return taken;
}

void ReadGate::DropIfIdle(Connection connection) {
  const auto line = lines_.find(connection);
  if (line == lines_.end()) return;
  if (line->second.is_idle()) lines_.erase(line);
}

// At most as many connections are passed over as there are places: each of these has its share.
ReadGate::Reader* ReadGate::FindNext(Patience patience, std::optional<Connection> but_of) {
  if (!HasPlaceFor(patience)) return nullptr;
  for (const Connection connection : turns(patience)) {
    if (connection == but_of) continue;
    const Line& line = lines_.at(connection);
    if (CanRead(line, patience)) return line.of(patience).readers.front().get();
  }
  return nullptr;
}

// Hurried and patient ones take turns: streams with nothing to send may be thousands, and each
// keeps its place for a while.
ReadGate::Reader* ReadGate::FindNext(std::optional<Connection> but_of) {
  const bool is_patients = is_patients_turn_;
  Reader* const first = FindNext(is_patients ? Patience::kEndless : Patience::kBounded, but_of);
  if (first != nullptr) return first;
  return FindNext(is_patients ? Patience::kBounded : Patience::kEndless, but_of);
}

std::shared_ptr<ReadGate::Reader> ReadGate::TakeNext() {
  Reader* const next = FindNext();
  if (next == nullptr) return nullptr;
  is_patients_turn_ = next->patience_ == Patience::kBounded;
  Turns& all = turns(next->patience_);
  all.splice(all.end(), all, lines_[next->connection_].of(next->patience_).turn);
  return TakeFromLine(*next);
}

void ReadGate::PlaceNext(Timestamp now, Calls& calls) {
  while (std::shared_ptr<Reader> next = TakeNext()) {
    calls.placed.push_back(next);
    Place(std::move(next), now);
  }
}

// One that waits could have its place.
bool ReadGate::IsInTheWay(const Reader& reader) {
  CountGone(reader);
  const auto spared = limits_.spares_own ? std::optional(reader.connection_) : std::nullopt;
  const bool is_in_the_way = FindNext(spared) != nullptr;
  CountPlaced(reader);
  return is_in_the_way;
}

// Of those that are longer there than they should and in the way, the one that came first; null if
// there is none.
ReadGate::Reader* ReadGate::FindOverdue(Timestamp now) {
  Reader* overdue = nullptr;
  for (const auto& reader : places_) {
    if (now - reader->since_ < reader->hold_ || !IsInTheWay(*reader)) continue;
    if (overdue == nullptr || reader->since_ < overdue->since_) overdue = reader.get();
  }
  return overdue;
}

void ReadGate::TakeOverdue(Timestamp now, Calls& calls) {
  calls.reason = CameTooSlowly();
  while (const Reader* overdue = FindOverdue(now)) {
    calls.lost.push_back(TakeFromPlace(overdue->place_));
    PlaceNext(now, calls);
  }
}

// In each line the first hurried one has waited longest.
void ReadGate::RefuseOverdue(Timestamp now, Calls& calls) {
  calls.reason = WaitedTooLong();
  for (auto turn = hurried_turns_.begin(); turn != hurried_turns_.end();) {
    const auto& waiting = lines_[*turn].hurried.readers;
    Reader& first = *waiting.front();
    const bool is_last = waiting.size() == 1;
    const bool is_late = now - first.since_ >= limits_.wait;
    if (is_last || !is_late) ++turn;  // It may go with its last reader.
    if (is_late) calls.refused.push_back(TakeFromLine(first));
  }
}

void ReadGate::Do(const Calls& calls) {
  for (const auto& reader : calls.placed) reader->OnPlace();
  for (const auto& reader : calls.lost) reader->OnPlaceLost(calls.reason);
  for (const auto& reader : calls.refused) reader->OnRefused(calls.reason);
}

}  // namespace wharf
