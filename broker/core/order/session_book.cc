#include "broker/core/order/session_book.h"

#include <algorithm>
#include <cassert>

namespace wharf {
namespace {

// What each session may have, however many there are.
constexpr std::size_t kMessagesMin = 4;

}  // namespace

SessionBook::SessionBook(const Shelf& shelf, std::vector<LoadedSession> loaded,
                         const SessionLimits& limits, SessionSerial last)
    : limits_(limits), shelf_(shelf), last_serial_(last), offers_(limits.offers_max) {
  for (LoadedSession& each : loaded) {
    if (each.row.expired_through != SequenceNumber()) {
      expired_.emplace(each.id, Expiry{each.row.expired_through});
      to_clean_.push_back(each.id);
    }
    if (each.row.token.is_zero()) continue;
    Session& session = Enter(each.id);
    session.token_ = each.row.token;
    session.until_ = each.row.until;
    session.since_ = each.row.since;
    NoteHeld(session);
  }
}

void SessionBook::NoteHeld(Session& session) {
  by_token_.emplace(session.token_, &session);
  held_.emplace(session.id_, &session);
  deadlines_.emplace(session.until_, session.serial_);
}

// Without a trace all of its messages are looked for. A message that has expired with its session
// never waits again.
Session& SessionBook::Enter(const std::string& session) {
  last_serial_ = last_serial_.Next();
  const auto trace = traces_.find(session);
  SequenceNumber floor = trace == traces_.end() ? SequenceNumber() : trace->second.floor;
  const SequenceNumber expired = ExpiredThrough(session);
  if (expired != SequenceNumber()) floor = std::max(floor, expired.Next());
  auto entry = std::make_unique<Session>(session, last_serial_, floor);
  Session& entered = *entry;
  by_serial_.emplace(last_serial_, &entered);
  sessions_.emplace(session, std::move(entry));
  return entered;
}

void SessionBook::RememberFloor(const Session& session) {
  TraceOf(session.id_) = {session.window_.lower_bound(), std::nullopt};
}

void SessionBook::Forget(Session& session) {
  windows_bytes_ -= session.window_.bytes();
  by_serial_.erase(session.serial_);
  stirred_.erase(session.serial_);
  sessions_.erase(std::string(session.id_));
}

Session* SessionBook::Find(const std::string& session) {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : found->second.get();
}

const Session* SessionBook::Find(const std::string& session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : found->second.get();
}

Session* SessionBook::Find(SessionSerial serial) {
  const auto found = by_serial_.find(serial);
  return found == by_serial_.end() ? nullptr : found->second;
}

Session* SessionBook::FindHeld(const LockToken& token) {
  const auto found = by_token_.find(token);
  return found == by_token_.end() ? nullptr : found->second;
}

// However many sessions there are, their windows together stay bounded.
SessionWindowLimits SessionBook::window_limits() const {
  const std::size_t sessions = std::max<std::size_t>(sessions_.size(), 1);
  SessionWindowLimits limits = limits_.window;
  limits.messages_max = std::min(std::max(limits_.windows_messages_max / sessions, kMessagesMin),
                                 limits.messages_max);
  limits.bytes_max =
      std::min(std::max<std::size_t>(limits_.windows_bytes_max / sessions, 1), limits.bytes_max);
  return limits;
}

template <typename Change>
void SessionBook::ChangeWindow(Session& session, Change change) {
  windows_bytes_ -= session.window_.bytes();
  change(session.window_);
  windows_bytes_ += session.window_.bytes();
}

// --- messages

void SessionBook::Add(WaitingMessage message, Changes& changes) {
  const std::string& id = message.facts.session_id;
  Session* session = Find(id);
  if (session == nullptr || !session->is_held()) {
    Trace& trace = TraceOf(id);
    trace.floor = std::min(trace.floor, message.number);
    if (message.standing != Standing::kDelayed) Offer(id, message.number, changes);
  }
  if (session == nullptr) return;
  Stir(*session);
  const bool has_room = windows_bytes_ + static_cast<std::size_t>(message.facts.held_size()) <=
                        limits_.windows_bytes_max;
  // Read again when it is wanted.
  if (!has_room) message.message = nullptr;
  ChangeWindow(*session,
               [&](SessionWindow& window) { window.Add(std::move(message), window_limits()); });
}

void SessionBook::Remove(const std::string& id, SequenceNumber number, Standing from,
                         Changes& changes) {
  const bool is_in_order =
      from == Standing::kFresh || from == Standing::kReturned || from == Standing::kDelayed;
  if (!is_in_order) return;
  Session* session = Find(id);
  if (session != nullptr) {
    ChangeWindow(*session, [&](SessionWindow& window) { window.Remove(number); });
    Stir(*session);
  }
  // What it kept back may be delivered now.
  const bool is_held = session != nullptr && session->is_held();
  if (from == Standing::kDelayed && !is_held) Offer(id, number, changes);
}

WaitingMessage SessionBook::PopFirst(Session& session) {
  WaitingMessage first;
  ChangeWindow(session, [&](SessionWindow& window) { first = window.PopFirst(); });
  return first;
}

void SessionBook::NoteLocked(const std::string& id, SequenceNumber number, const LockToken& token) {
  Session* session = Find(id);
  assert(session != nullptr && session->is_held());
  const bool is_new = session->in_flight_.emplace(number, token).second;
  assert(is_new);
  static_cast<void>(is_new);
}

void SessionBook::NoteUnlocked(const std::string& id, SequenceNumber number) {
  Session* session = Find(id);
  assert(session != nullptr);
  const bool was_in_flight = session->in_flight_.erase(number) == 1;
  assert(was_in_flight);
  static_cast<void>(was_in_flight);
  Stir(*session);
}

// The sessions stay held, with nothing in them. What is being read of the old shelf is thrown away.
void SessionBook::Purge(const Shelf& shelf) {
  shelf_ = shelf;
  offers_.RemoveAll();
  traces_.clear();
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    const auto current = it++;
    Session& session = *current->second;
    if (!session.is_held()) {
      Forget(session);
      continue;
    }
    ChangeWindow(session, [](SessionWindow& window) { window.RemoveAll(); });
    session.in_flight_.clear();
    Stir(session);
  }
}

// --- sessions

SessionRow SessionBook::RowOf(const std::string& id) const {
  SessionRow row;
  const Session* session = Find(id);
  if (session != nullptr && session->is_held()) {
    row.token = session->token_;
    row.until = session->until_;
    row.since = session->since_;
  }
  row.expired_through = ExpiredThrough(id);
  return row;
}

Session& SessionBook::Hold(const std::string& id, const LockToken& token, Timestamp until,
                           Timestamp now, Changes& changes) {
  Session* session = Find(id);
  const auto trace = traces_.find(id);
  if (trace != traces_.end() && trace->second.offered) {
    Withdraw({*trace->second.offered, id}, changes);
  }
  if (session == nullptr) session = &Enter(id);
  traces_.erase(id);
  assert(!session->is_held());
  session->token_ = token;
  session->until_ = until;
  session->since_ = now;
  NoteHeld(*session);
  Stir(*session);
  changes.push_back(SessionLocked{shelf_.entity, id, RowOf(id)});
  return *session;
}

void SessionBook::Renew(Session& session, Timestamp until, Changes& changes) {
  deadlines_.erase({session.until_, session.serial_});
  session.until_ = until;
  deadlines_.emplace(until, session.serial_);
  changes.push_back(SessionLockRenewed{shelf_.entity, session.id_, RowOf(session.id_)});
}

void SessionBook::BeginEnd(Session& session) {
  session.is_ending_ = true;
  deadlines_.erase({session.until_, session.serial_});
}

// Offers it again, unless it is known that nothing waits, or what waits is delayed: then the end of
// the delay offers it.
void SessionBook::Unhold(Session& session, SessionEndCause cause, Changes& changes) {
  assert(session.in_flight_.empty());
  const std::string id = session.id_;
  BeginEnd(session);
  by_token_.erase(session.token_);
  held_.erase(session.id_);
  session.token_ = LockToken();
  const auto expiry = expired_.find(id);
  if (expiry != expired_.end() && expiry->second.is_cleaned) expired_.erase(expiry);
  changes.push_back(SessionUnlocked{shelf_.entity, id, RowOf(id), cause});
  RememberFloor(session);
  if (session.window_.may_deliver()) Offer(id, session.window_.lower_bound(), changes);
  Forget(session);
}

std::vector<SessionSerial> SessionBook::EndedBy(Timestamp now, std::size_t count_max) const {
  std::vector<SessionSerial> ended;
  for (const auto& [until, serial] : deadlines_) {
    if (until > now || ended.size() == count_max) break;
    ended.push_back(serial);
  }
  return ended;
}

Timestamp SessionBook::next_deadline() const {
  return deadlines_.empty() ? kNever : deadlines_.begin()->first;
}

std::vector<SessionSerial> SessionBook::TakeStirred() {
  std::vector<SessionSerial> stirred(stirred_.begin(), stirred_.end());
  stirred_.clear();
  return stirred;
}

// --- expiry of whole sessions

void SessionBook::Expire(const std::string& id, SequenceNumber through, Changes& changes) {
  Expiry& expiry = expired_[id];
  if (expiry.through >= through) return;
  expiry = {through, false};
  to_clean_.push_back(id);
  if (Session* session = Find(id); session != nullptr) {
    ChangeWindow(*session, [&](SessionWindow& window) { window.RemoveThrough(through); });
    Stir(*session);
  }
  changes.push_back(SessionExpired{shelf_.entity, id, RowOf(id)});
}

bool SessionBook::IsExpired(const std::string& id, SequenceNumber number) const {
  return !expired_.empty() && number <= ExpiredThrough(id);
}

SequenceNumber SessionBook::ExpiredThrough(const std::string& id) const {
  const auto found = expired_.find(id);
  return found == expired_.end() ? SequenceNumber() : found->second.through;
}

// While somebody holds the session, what is in flight may still come back.
void SessionBook::FinishExpiry(const std::string& id, SequenceNumber through, Changes& changes) {
  const auto found = expired_.find(id);
  if (found == expired_.end() || found->second.through != through) return;
  const Session* session = Find(id);
  found->second.is_cleaned = true;
  if (session != nullptr && session->is_held()) return;
  expired_.erase(found);
  changes.push_back(SessionExpiryFinished{shelf_.entity, id, RowOf(id)});
}

// --- the next session

SessionBook::Trace& SessionBook::TraceOf(const std::string& id) {
  const auto found = traces_.find(id);
  if (found != traces_.end()) return found->second;
  if (traces_.size() >= limits_.traces_max) traces_.clear();
  return traces_[id];
}

void SessionBook::Offer(const std::string& id, SequenceNumber number, Changes& changes) {
  Trace& trace = TraceOf(id);
  assert(!trace.offered || offers_.Knows({*trace.offered, id}));
  if (trace.offered && *trace.offered <= number) return;
  trace.offered = number;
  offers_.Add({number, id});
  changes.push_back(SessionOffered{shelf_, number, id});
}

// What is remembered of offers is of rows that there were; without it each session is offered anew.
void SessionBook::TakeOffers(const OfferBatch& batch) {
  if (batch.lost_some) traces_.clear();
  offers_.Take(batch);
}

void SessionBook::Withdraw(const OfferPlace& place, Changes& changes) {
  const auto trace = traces_.find(place.session);
  if (trace != traces_.end() && trace->second.offered == place.number) {
    trace->second.offered.reset();
  }
  changes.push_back(SessionOfferWithdrawn{shelf_, place.number, place.session});
  offers_.Remove(place);
}

Session* SessionBook::Next(Changes& changes) {
  while (!offers_.offers().empty()) {
    const OfferPlace place = *offers_.offers().begin();
    Session* session = Find(place.session);
    if (session == nullptr) session = &Enter(place.session);
    if (session->is_held()) {
      Withdraw(place, changes);
      continue;
    }
    const WaitingMessage* first = session->window_.deliverable();
    if (first != nullptr && first->number <= place.number) return session;
    if (first != nullptr) {
      // Others may come before it.
      const SequenceNumber number = first->number;
      Withdraw(place, changes);
      Offer(place.session, number, changes);
      continue;
    }
    if (session->window_.may_deliver()) return nullptr;
    Withdraw(place, changes);
    RememberFloor(*session);
    Forget(*session);
  }
  return nullptr;
}

// --- reading

std::optional<SessionRead> SessionBook::NextRead(Session& session) {
  return session.window_.NextRead(session.id_, window_limits());
}

std::vector<UnreadableMessage> SessionBook::TakeRead(Session& session, SessionReadBatch batch) {
  std::vector<UnreadableMessage> unreadable;
  ChangeWindow(session, [&](SessionWindow& window) {
    unreadable = window.Take(std::move(batch), window_limits());
  });
  for (UnreadableMessage& each : unreadable) each.facts.session_id = session.id();
  Stir(session);
  return unreadable;
}

std::vector<std::pair<SessionSerial, SessionRead>> SessionBook::NextLooks(std::size_t count) {
  std::vector<std::pair<SessionSerial, SessionRead>> looks;
  std::size_t seen = 0;
  for (const OfferPlace& place : offers_.offers()) {
    if (seen++ == count) break;
    Session* session = Find(place.session);
    if (session == nullptr) session = &Enter(place.session);
    if (session->is_held() || session->window_.deliverable() != nullptr) continue;
    std::optional<SessionRead> read = NextRead(*session);
    if (read) looks.emplace_back(session->serial_, *std::move(read));
  }
  return looks;
}

}  // namespace wharf
