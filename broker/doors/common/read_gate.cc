#include "broker/doors/common/read_gate.h"

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

}  // namespace

ReadGate::ReadGate(const Limits& limits, Clock& clock) : limits_(limits), clock_(clock) {
  MutexLock lock(mutex_);
  places_.reserve(limits_.places);
}

// If there is a place that its connection may have, nobody of the same one waits: it would have it.
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
    has_place = closed_for_.ok() && CanRead(lines_[connection]);
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
    if (turns_.empty()) return false;
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
    if (turns_.empty()) return;
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
    while (!turns_.empty()) {
      calls.refused.push_back(TakeFromLine(lines_[turns_.front()].first()));
    }
  }
  Do(calls);
}

void ReadGate::Open() {
  MutexLock lock(mutex_);
  closed_for_ = Status::Ok();
}

bool ReadGate::CanRead(const Line& line) const {
  return places_.size() < limits_.places && line.reading < limits_.places_of_one;
}

void ReadGate::Place(std::shared_ptr<Reader> reader, Timestamp now) {
  ++lines_[reader->connection_].reading;
  reader->stage_ = Reader::Stage::kReading;
  reader->since_ = now;
  reader->place_ = places_.size();
  places_.push_back(std::move(reader));
}

ReadGate::Reader& ReadGate::Line::first() const {
  const bool is_patient = hurried.empty() || (is_patients_turn && !patient.empty());
  return *(is_patient ? patient : hurried).front();
}

void ReadGate::StandInLine(std::shared_ptr<Reader> reader, Timestamp now) {
  Line& line = lines_[reader->connection_];
  if (line.waiting() == 0) line.turn = turns_.insert(turns_.end(), reader->connection_);
  Reader& queued = *reader;
  queued.stage_ = Reader::Stage::kWaiting;
  queued.since_ = now;
  Queue& others = line.of(queued.patience_);
  if (queued.patience_ == Patience::kBounded) ++waiting_;
  queued.waiting_at_ = others.insert(others.end(), std::move(reader));
}

// The last one takes its place in the row.
std::shared_ptr<ReadGate::Reader> ReadGate::TakeFromPlace(std::size_t place) {
  std::swap(places_[place], places_.back());
  places_[place]->place_ = place;
  std::shared_ptr<Reader> taken = std::move(places_.back());
  places_.pop_back();
  taken->stage_ = Reader::Stage::kOutside;
  --lines_[taken->connection_].reading;
  DropIfIdle(taken->connection_);
  return taken;
}

std::shared_ptr<ReadGate::Reader> ReadGate::TakeFromLine(Reader& reader) {
  Line& line = lines_[reader.connection_];
  std::shared_ptr<Reader> taken = std::move(*reader.waiting_at_);
  line.of(taken->patience_).erase(taken->waiting_at_);
  if (taken->patience_ == Patience::kBounded) --waiting_;
  taken->stage_ = Reader::Stage::kOutside;
  if (line.waiting() == 0) turns_.erase(line.turn);
  DropIfIdle(taken->connection_);
  return taken;
}

void ReadGate::DropIfIdle(Connection connection) {
  const auto line = lines_.find(connection);
  if (line == lines_.end()) return;
  if (line->second.reading == 0 && line->second.waiting() == 0) lines_.erase(line);
}

// At most as many connections are passed over as there are places: each of these has its share.
std::shared_ptr<ReadGate::Reader> ReadGate::TakeNext() {
  for (auto turn = turns_.begin(); turn != turns_.end(); ++turn) {
    Line& line = lines_[*turn];
    if (!CanRead(line)) continue;
    Reader& first = line.first();
    line.is_patients_turn = first.patience_ == Patience::kBounded;
    turns_.splice(turns_.end(), turns_, turn);
    return TakeFromLine(first);
  }
  return nullptr;
}

void ReadGate::PlaceNext(Timestamp now, Calls& calls) {
  while (places_.size() < limits_.places) {
    std::shared_ptr<Reader> next = TakeNext();
    if (next == nullptr) return;
    calls.placed.push_back(next);
    Place(std::move(next), now);
  }
}

// One that waits could have its place.
bool ReadGate::IsInTheWay(const Reader& reader) const {
  if (lines_.at(reader.connection_).waiting() > 0) return true;
  if (places_.size() < limits_.places) return false;
  for (const Connection connection : turns_) {
    if (lines_.at(connection).reading < limits_.places_of_one) return true;
  }
  return false;
}

// Of those that are longer there than they should and in the way, the one that came first; null if
// there is none.
ReadGate::Reader* ReadGate::FindOverdue(Timestamp now) const {
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
  for (auto turn = turns_.begin(); turn != turns_.end();) {
    const Line& line = lines_[*turn];
    Reader* const first = line.hurried.empty() ? nullptr : line.hurried.front().get();
    const bool is_last = line.waiting() == 1;
    const bool is_late = first != nullptr && now - first->since_ >= limits_.wait;
    if (is_last || !is_late) ++turn;  // It may go with its last reader.
    if (is_late) calls.refused.push_back(TakeFromLine(*first));
  }
}

void ReadGate::Do(const Calls& calls) {
  for (const auto& reader : calls.placed) reader->OnPlace();
  for (const auto& reader : calls.lost) reader->OnPlaceLost(calls.reason);
  for (const auto& reader : calls.refused) reader->OnRefused(calls.reason);
}

}  // namespace wharf
