// The requests of RecordedAmqp to the `$management` of a queue.

#include <utility>

#include <absl/strings/numbers.h>
#include <fmt/core.h>

#include "tools/crash/amqp/recorded_amqp.h"

namespace wharf::crash {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr std::int64_t kForeignState = -1;

amqp::Value Text(std::string_view text) { return amqp::Value(std::string(text)); }

// 0: there is none.
std::int64_t StateIn(const amqp::Map& body) {
  const amqp::Value* const found = body.FindString("session-state");
  if (found == nullptr || found->As<amqp::Null>() != nullptr) return 0;
  const auto* const bytes = found->As<amqp::Binary>();
  std::int64_t state = 0;
  const bool is_ours = bytes != nullptr && absl::SimpleAtoi(bytes->bytes, &state) && state > 0;
  return is_ours ? state : kForeignState;
}

}  // namespace

Result<RecordedAmqp::Management> RecordedAmqp::ManagementOf(const std::string& path) {
  if (const auto known = management_.find(path); known != management_.end()) return known->second;
  const std::string address = path + "/$management";
  Management management;
  management.reply_to = fmt::format("replies-{}", management_.size());
  const auto requests = client_->Open(crash::SenderTo(address));
  if (!requests.ok()) return requests.status();
  amqp::Attach attach = ReceiverFrom(address, Mode::kPeekLock);
  amqp::Target target;
  target.address = management.reply_to;
  attach.target = std::move(target);
  const auto replies = client_->Open(std::move(attach));
  if (!replies.ok()) return replies.status();
  client_->SetCredit(replies->link, 100);
  management.requests = requests->link;
  management.replies = replies->link;
  return management_[path] = management;
}

Result<amqp::Map> RecordedAmqp::Ask(const std::string& path, std::string_view operation,
                                    const amqp::Map& body) {
  const Result<Management> management = ManagementOf(path);
  if (!management.ok()) return management.status();
  const auto taken = std::make_shared<Status>();
  client_->Send(management->requests,
                {.message = EncodeRequest(management->reply_to, operation, body)},
                [taken](const Result<amqp::DeliveryState>& state) { *taken = state.status(); });
  const Status answered = client_->AwaitAnswers();
  WHARF_RETURN_IF_ERROR(*taken);
  WHARF_RETURN_IF_ERROR(answered);
  const auto reply = client_->AwaitMessage(management->replies, kPatience);
  if (!reply.ok()) return reply.status();
  if (!*reply) {
    return Status(ErrorCode::kServiceTimeout, "a request has no answer", Outcome::kUnknown);
  }
  client_->SetCredit(management->replies, 100);
  return DecodeReply((*reply)->message);
}

Status RecordedAmqp::SettleByToken(const Source& source, const std::string& token,
                                   const Settling& settling, std::vector<std::string>& unsettled) {
  SettleRecord settle;
  settle.source = source;
  settle.token = token;
  settle.verb = settling.verb;
  settle.mark = settling.mark;
  Begin(settle);
  Status status =
      Ask(PathOf(source), "com.microsoft:update-disposition", DispositionOf(settling, {token}))
          .status();
  life_.recorder.End(settle, status);
  life_.recorder.Add(settle);
  if (settle.is_unknown()) unsettled.push_back(token);
  if (!status.ok()) return status;
  if (settling.verb == Verb::kComplete) life_.progress.NoteGone(1);
  life_.progress.NoteAcknowledged();
  return {};
}

Status RecordedAmqp::RenewLock(const Source& source, const std::string& token) {
  RenewRecord renew;
  renew.source = source;
  renew.token = token;
  Begin(renew);
  const Result<amqp::Map> body =
      Ask(PathOf(source), "com.microsoft:renew-lock", TokensToRenew(token));
  life_.recorder.End(renew, body.status());
  const amqp::Value* const found = body.ok() ? body->FindString("expirations") : nullptr;
  const auto* const times = found == nullptr ? nullptr : found->As<amqp::Array>();
  const bool is_told = times != nullptr && times->items.size() == 1;
  const auto* const until = is_told ? times->items[0].As<amqp::TimestampMs>() : nullptr;
  if (until != nullptr) renew.locked_until = TimeOf(*until);
  life_.recorder.Add(renew);
  if (!body.ok()) return body.status();
  if (until == nullptr) return {ErrorCode::kGeneralError, "a renewal has no expiration"};
  life_.progress.NoteAcknowledged();
  return {};
}

template <typename Execute>
Status RecordedAmqp::Use(const SessionAcceptRecord& session, SessionVerb verb, Execute execute) {
  SessionUseRecord use;
  use.queue = session.queue;
  use.token = session.token;
  use.verb = verb;
  if (verb == SessionVerb::kSetState) use.state = life_.recorder.NewState();
  Begin(use);
  const Status status = execute(use);
  life_.recorder.End(use, status);
  life_.recorder.Add(use);
  if (status.ok()) life_.progress.NoteAcknowledged();
  return status;
}

Result<amqp::Map> RecordedAmqp::AskOfSession(SessionUseRecord& use, const std::string& session,
                                             std::string_view operation, amqp::Map body) {
  body.Add(Text("session-id"), Text(session));
  return Ask(PathOf({.queue = use.queue}), operation, body);
}

Status RecordedAmqp::RenewSession(const SessionAcceptRecord& session) {
  return Use(session, SessionVerb::kRenew, [&](SessionUseRecord& use) {
    const auto body = AskOfSession(use, session.session, "com.microsoft:renew-session-lock", {});
    const amqp::Value* const found = body.ok() ? body->FindString("expiration") : nullptr;
    const auto* const until = found == nullptr ? nullptr : found->As<amqp::TimestampMs>();
    if (until != nullptr) use.locked_until = TimeOf(*until);
    return body.status();
  });
}

Status RecordedAmqp::GetState(const SessionAcceptRecord& session) {
  return Use(session, SessionVerb::kGetState, [&](SessionUseRecord& use) {
    const auto body = AskOfSession(use, session.session, "com.microsoft:get-session-state", {});
    if (body.ok()) use.state = StateIn(*body);
    return body.status();
  });
}

Status RecordedAmqp::SetState(const SessionAcceptRecord& session) {
  return Use(session, SessionVerb::kSetState, [&](SessionUseRecord& use) {
    amqp::Map body;
    body.Add(Text("session-state"), amqp::Value(amqp::Binary{std::to_string(use.state)}));
    return AskOfSession(use, session.session, "com.microsoft:set-session-state", std::move(body))
        .status();
  });
}

}  // namespace wharf::crash
