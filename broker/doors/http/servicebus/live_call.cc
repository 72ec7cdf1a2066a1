#include "broker/doors/http/servicebus/live_call.h"

#include <utility>

#include "broker/core/entities/names.h"
#include "broker/doors/http/servicebus/asked_resource.h"
#include "broker/doors/http/trace_of.h"
#include "broker/requests/rights_for.h"

namespace wharf {

LiveCall::LiveCall(CallGate& gate, HttpCounts& counts, HttpRequest head, Target target)
    : counts_(counts),
      head_(std::move(head)),
      request_{.method = head_.method,
               .target = std::move(target),
               .fields = head_.fields,
               .caller = {.peer = head_.peer,
                          .door = Door::kHttp,
                          .tracking_id = NewTrackingId(),
                          .trace_id = TraceOf(head_)}},
      ticket_(gate.Enter(head_.cut_off)) {
  if (!head_.host.empty()) request_.origin = std::string(head_.scheme) + "://" + head_.host;
}

bool LiveCall::IsAtEntity() const {
  return ticket_.is_valid() && ticket_.broker().requests.Find(request_.target.path).lane;
}

Status LiveCall::Admit() {
  access::Guard* const guard = ticket_.guard();
  const Status proven = guard == nullptr ? Status() : Prove();
  if (!ticket_.is_valid()) {
    return proven.ok() ? ticket_.refusal() : ticket_.refusal_of_strangers();
  }
  request_.caller.permit = PermitFor(ticket_.permit(), request_.target.path, asked_.resource);
  const Status allowed = proven.ok() ? CheckRight() : proven;
  if (!allowed.ok()) {
    guard->NoteRefusal(allowed, ticket_.permit(), head_.peer, ToString(request_.caller.tracking_id),
                       head_.authorization);
  }
  return allowed;
}

// The pipeline asks again when it has the request. This is for those who may not: they are not
// listened to until they have said all of it.
Status LiveCall::CheckRight() const {
  const access::Guard* const guard = ticket_.guard();
  if (guard == nullptr || !asked_.right) return {};
  const access::PermitPtr& permit = request_.caller.permit;
  return CheckEither(*asked_.right, asked_.resource, FoldPath(request_.target.path),
                     [&](access::Right right, const std::string& path) {
                       return guard->Check(permit, right, path);
                     });
}

Status LiveCall::Prove() {
  const bool has_certificate = head_.authorization.empty() && !head_.subject.empty();
  return has_certificate ? ticket_.ProveCertificate(head_.subject)
                         : ticket_.Prove(head_.authorization);
}

Result<access::PermitPtr> LiveCall::ProveAlso(std::string_view token) {
  access::Guard* const guard = ticket_.guard();
  return guard == nullptr ? Result<access::PermitPtr>(access::PermitPtr()) : guard->Prove(token);
}

// A browser sends a certificate for any page, and where nothing has to be proven any page can ask;
// but no page has a token.
Status LiveCall::CheckHost(const HostCheck& hosts) const {
  const bool needs_token =
      ticket_.guard() != nullptr && (!head_.authorization.empty() || head_.subject.empty());
  if (needs_token) return {};
  return hosts.Check(head_.host.empty() ? "localhost" : head_.host, head_.origin, head_.scheme);
}

void LiveCall::Begin(std::string body, HttpReplyPtr reply) {
  request_.body = std::move(body);
  MutexLock lock(mutex_);
  reply_ = std::move(reply);
}

// The broker stays until the last byte has left, and the reply goes: it leads to who holds this.
void LiveCall::Answer(HttpResponse response) {
  counts_.Note(asked_.kind, response.status);
  response.written = [self = shared_from_this(), note = std::move(response.written)]() mutable {
    if (note) std::move(note)();
  };
  HttpReplyPtr reply;
  {
    MutexLock lock(mutex_);
    reply.swap(reply_);
  }
  if (reply != nullptr) reply->Answer(std::move(response));
}

void LiveCall::EndWaitWith(std::function<void()> end) {
  ticket_.OnClose([weak = weak_from_this(), end](const Status& reason) {
    if (const auto self = weak.lock()) {
      MutexLock lock(self->mutex_);
      if (reason.code() == ErrorCode::kUnauthorized) self->end_reason_ = reason;
    }
    end();
  });
  HttpReplyPtr reply;
  {
    MutexLock lock(mutex_);
    reply = reply_;
  }
  if (reply != nullptr) reply->OnGone(std::move(end));
}

Status LiveCall::end_reason() const {
  MutexLock lock(mutex_);
  return end_reason_;
}

}  // namespace wharf
