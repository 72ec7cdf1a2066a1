#include <algorithm>
#include <string>
#include <utility>

#include "broker/doors/amqp/entities/management/operations.h"

namespace wharf::amqp {
namespace {

// What clients write for no time: the last of the year 9999, to the millisecond or the second.
constexpr std::int64_t kNoTimeMs = 253'402'300'799'000;
constexpr std::size_t kSessionPage = 100;
constexpr std::int64_t kSessionTopMax = 1000;

// A walk over the ids of sessions, in their order, page by page.
struct SessionListing {
  ListSessionsRequest request;
  std::int64_t skip = 0;
  std::int64_t top = 0;
  std::int64_t seen = 0;
  Array ids{.descriptors = {}, .type = Type::kString, .items = {}};
};

void AnswerSessions(Operation& operation, SessionListing listing) {
  if (listing.ids.items.empty()) return operation.Nothing();
  Map body;
  Put(body, "skip", Value(static_cast<std::int32_t>(listing.seen)));
  Put(body, "sessions-ids", Value(std::move(listing.ids)));
  operation.Done(std::move(body));
}

void WalkSessions(Operation& operation, SessionListing listing) {
  ListSessionsRequest request = listing.request;
  operation.AskPage(
      std::move(request), 0,
      [listing = std::move(listing)](Operation& self, const SessionPage& page) mutable {
        for (const SessionInfo& session : page.sessions) {
          if (std::ssize(listing.ids.items) == listing.top) break;
          if (listing.seen++ >= listing.skip) {
            listing.ids.items.emplace_back(std::string(session.id));
          }
        }
        const bool is_done = std::ssize(listing.ids.items) == listing.top;
        if (is_done || !page.next_after.has_value()) return AnswerSessions(self, listing);
        listing.request.after = page.next_after;
        WalkSessions(self, std::move(listing));
      });
}

}  // namespace

void RenewSessionLock(const OperationPtr& operation) {
  const Result<LockToken> session = operation->HeldSession();
  if (!session.ok()) return operation->Fail(session.status());
  operation->Ask(RenewSessionRequest{operation->entity(), *session}, 0,
                 [](Operation& self, Timestamp until) {
                   Map body;
                   Put(body, "expiration", Value(MsFrom(until)));
                   self.Done(std::move(body));
                 });
}

void GetSessionState(const OperationPtr& operation) {
  const Result<LockToken> session = operation->HeldSession();
  if (!session.ok()) return operation->Fail(session.status());
  operation->Ask(GetSessionStateRequest{operation->entity(), *session}, 0,
                 [](Operation& self, const std::optional<std::string>& state) {
                   Map body;
                   Put(body, "session-state", state.has_value() ? Value(Binary{*state}) : Value());
                   self.Done(std::move(body));
                 });
}

void SetSessionState(const OperationPtr& operation) {
  const Result<LockToken> session = operation->HeldSession();
  if (!session.ok()) return operation->Fail(session.status());
  SetSessionStateRequest request{.entity = operation->entity(), .session = *session};
  const auto* const state = operation->Find<Binary>("session-state");
  if (state == nullptr && operation->Find<Null>("session-state") == nullptr) {
    return operation->Fail({ErrorCode::kArgumentError, "session-state is binary, or null"});
  }
  if (state != nullptr) request.state = state->bytes;
  const std::size_t bytes = state == nullptr ? 0 : state->bytes.size();
  if (operation->is_in_transaction()) {
    return operation->AddToTransaction(
        SetState{.session = request.session, .state = std::move(request.state)}, bytes,
        [](Operation& self) { self.Done(); });
  }
  operation->Ask(std::move(request), bytes, [](Operation& self, std::monostate) { self.Done(); });
}

void ListSessions(const OperationPtr& operation) {
  SessionListing listing{.request = {.entity = operation->entity(), .count_max = kSessionPage}};
  listing.skip = std::max<std::int64_t>(operation->Number("skip").value_or(0), 0);
  listing.top =
      std::clamp<std::int64_t>(operation->Number("top").value_or(kSessionPage), 1, kSessionTopMax);
  const auto* const since = operation->Find<TimestampMs>("last-updated-time");
  if (since != nullptr && since->ms < kNoTimeMs) {
    listing.request.state_updated_since = TimeFrom(*since);
  }
  WalkSessions(*operation, std::move(listing));
}

}  // namespace wharf::amqp
