// The calls of RecordedClient for sessions.

#include <utility>

#include <absl/strings/numbers.h>

#include "tools/crash/clients/recorded_client.h"

namespace wharf::crash {
namespace {

constexpr std::int64_t kForeignState = -1;
constexpr std::uint32_t kPageSize = 250;

std::int64_t StateOf(const std::optional<std::string>& text) {
  std::int64_t state = 0;
  if (!text) return state;
  return absl::SimpleAtoi(*text, &state) && state > 0 ? state : kForeignState;
}

}  // namespace

Result<SessionAcceptRecord> RecordedClient::AcceptSession(QueueIndex queue,
                                                          const std::optional<std::string>& session,
                                                          Duration wait) {
  const std::string path = PathOf({.queue = queue});
  client::Sessions& sessions = client_.sessions();
  SessionAcceptRecord accept;
  accept.queue = queue;
  accept.session = session.value_or("");
  recorder_.Begin(accept);
  const Result<v1::AcceptedSession> accepted =
      session ? sessions.AcceptSession(path, *session) : sessions.AcceptNextSession(path, wait);
  recorder_.End(accept, accepted.status());
  if (accepted.ok()) {
    accept.session = accepted->session_id();
    accept.token = accepted->session_lock_token();
    accept.locked_until = ToTimestamp(accepted->locked_until());
  }
  recorder_.Add(accept);
  if (!accepted.ok()) return accepted.status();
  progress_.NoteAcknowledged();
  return accept;
}

Result<std::vector<DeliveryRecord>> RecordedClient::ReceiveFromSession(QueueIndex queue,
                                                                       const std::string& token,
                                                                       std::uint32_t messages_max,
                                                                       Duration wait) {
  v1::ReceiveRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  request.set_max_messages(messages_max);
  SetDuration(wait, request.mutable_max_wait());
  request.set_mode(v1::RECEIVE_MODE_PEEK_LOCK);
  request.set_session_lock_token(token);
  ReceiveRecord receive;
  receive.source = {.queue = queue};
  receive.open_credit = messages_max;
  receive.session_token = token;
  recorder_.Begin(receive);
  return Finish(receive, client_.Receive(request));
}

Status RecordedClient::Use(SessionUseRecord& use,
                           const std::function<Status(SessionUseRecord&)>& execute) {
  recorder_.Begin(use);
  Status status = execute(use);
  recorder_.End(use, status);
  recorder_.Add(use);
  if (status.ok()) progress_.NoteAcknowledged();
  return status;
}

Status RecordedClient::RenewSession(QueueIndex queue, const std::string& token) {
  SessionUseRecord renew;
  renew.queue = queue;
  renew.token = token;
  renew.verb = SessionVerb::kRenew;
  return Use(renew, [&](SessionUseRecord& use) {
    const auto renewed = client_.sessions().RenewSessionLock(PathOf({.queue = queue}), token);
    if (renewed.ok()) use.locked_until = ToTimestamp(renewed->locked_until());
    return renewed.status();
  });
}

Status RecordedClient::ReleaseSession(QueueIndex queue, const std::string& token) {
  SessionUseRecord release;
  release.queue = queue;
  release.token = token;
  release.verb = SessionVerb::kRelease;
  return Use(release, [&](SessionUseRecord&) {
    return client_.sessions().ReleaseSession(PathOf({.queue = queue}), token);
  });
}

Status RecordedClient::GetState(QueueIndex queue, const std::string& token) {
  SessionUseRecord get;
  get.queue = queue;
  get.token = token;
  get.verb = SessionVerb::kGetState;
  return Use(get, [&](SessionUseRecord& use) {
    const auto state = client_.sessions().GetSessionState(PathOf({.queue = queue}), token);
    if (state.ok()) use.state = StateOf(*state);
    return state.status();
  });
}

Status RecordedClient::SetState(QueueIndex queue, const std::string& token,
                                const std::vector<std::string>& completes) {
  SessionUseRecord set;
  set.queue = queue;
  set.token = token;
  set.verb = SessionVerb::kSetState;
  set.state = recorder_.NewState();
  set.completes = completes;
  Status status = Use(set, [&](SessionUseRecord& use) {
    return client_.sessions().SetSessionState(PathOf({.queue = queue}), token,
                                              std::to_string(use.state), completes);
  });
  SettleRecord complete;
  static_cast<Operation&>(complete) = static_cast<const Operation&>(set);
  complete.source = {.queue = queue};
  for (const std::string& message : completes) {
    complete.token = message;
    recorder_.Add(complete);
  }
  if (status.ok()) progress_.NoteGone(completes.size());
  return status;
}

Result<std::int64_t> RecordedClient::CountStateBytes(QueueIndex queue) {
  if (!recorder_.queue(queue).requires_session) return 0;
  v1::ListSessionsRequest request;
  request.set_entity_path(PathOf({.queue = queue}));
  request.set_page_size(kPageSize);
  std::int64_t bytes = 0;
  do {
    const Result<v1::ListSessionsResponse> page = client_.sessions().ListSessions(request);
    if (!page.ok()) return page.status();
    for (const v1::SessionProperties& session : page->sessions()) bytes += session.state_size();
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  return bytes;
}

}  // namespace wharf::crash
