#include "broker/doors/amqp/connection/cbs_node.h"

#include <optional>
#include <utility>

#include "broker/doors/amqp/connection/door_errors.h"

namespace wharf::amqp {
namespace {

// A token, and what stands around it.
constexpr std::uint64_t kRequestBytesMax = std::uint64_t{32} << 10;
// No resource that a rule stands on, or below one, is called by more.
constexpr std::size_t kAudienceBytesMax = 1024;
constexpr int kPut = 202;

Status TooLarge() { return {ErrorCode::kMessageSizeExceeded, "no token is as long"}; }

}  // namespace

void CbsNode::Attach(const Attached& attached) {
  Link& link = *endpoint_.FindLink(attached.link);
  if (askers_.size() + replies_.size() >= kLinksMax) {
    return link.Refuse(ErrorOf({ErrorCode::kQuotaExceeded, "one connection needs no more of $cbs"},
                               {.entity = "$cbs", .tracking_id = NewTrackingId(), .at = wall_()}));
  }
  amqp::Attach answer;
  answer.snd_settle_mode = attached.attach.snd_settle_mode;
  answer.source = attached.attach.source;
  answer.target = attached.attach.target;
  answer.max_message_size = kRequestBytesMax;
  link.SendAttach(std::move(answer));
  if (link.role() == Role::kReceiver) {
    askers_.emplace(attached.link, Asker{.session = attached.session});
    GiveCredit();
  } else {
    replies_.Add(attached.link, attached.session, attached.attach);
  }
}

void CbsNode::OnDelivered(const Delivered& part) {
  const auto found = askers_.find(part.link);
  if (found == askers_.end()) return;
  Asker& asker = found->second;
  Collect(asker, part);
  if (!part.is_last && !part.is_aborted) return;
  DeliveryState outcome = Accepted();
  if (!part.is_aborted) outcome = Handle(asker);
  partial_bytes_.GiveBack(asker.message.size());
  asker.message = std::string();
  asker.is_too_large = false;
  if (!part.is_settled && !part.is_aborted) {
    endpoint_.FindLink(part.link)->Settle(part.delivery, std::move(outcome));
  }
  GiveCredit();
}

void CbsNode::Collect(Asker& asker, const Delivered& part) {
  if (!asker.is_too_large && !part.is_too_large && partial_bytes_.Take(part.payload.size())) {
    asker.message += part.payload;
  } else {
    asker.is_too_large = true;
  }
}

DeliveryState CbsNode::Handle(const Asker& asker) {
  const TrackingId tracking_id = NewTrackingId();
  const ErrorPlace place{.entity = "$cbs", .tracking_id = tracking_id, .at = wall_()};
  const Result<CbsRequest> request =
      asker.is_too_large ? Result<CbsRequest>(TooLarge()) : ReadCbsRequest(asker.message);
  if (!request.ok()) {
    Error error = ErrorOf(request.status(), place);
    if (!asker.is_too_large) error.condition.text = amqp_error::kDecodeError;
    note_fault_(error);
    return Rejected{std::move(error)};
  }
  Status put = Check(*request);
  if (!put.ok()) note_fault_(ErrorOf(put, place));
  // Those who may not are in the log by this.
  if (put.ok()) put = claims_.Put(request->audience, request->type, request->token, tracking_id);
  Answer(asker.session, *request,
         WriteCbsReply(request->message_id, put.ok() ? kPut : StatusNumberOf(put.code()),
                       put.ok() ? "Accepted" : DescriptionOf(put, place)));
  return Accepted();
}

Status CbsNode::Check(const CbsRequest& request) {
  if (request.operation != "put-token") {
    return {ErrorCode::kNotImplemented, "$cbs knows one operation: put-token"};
  }
  if (request.token.empty()) {
    return {ErrorCode::kArgumentError, "put-token has its token in the body, as a string"};
  }
  if (request.audience.size() > kAudienceBytesMax) {
    return {ErrorCode::kArgumentError, "the audience of put-token is longer than any address"};
  }
  return {};
}

// Nobody hears what is answered to nobody.
void CbsNode::Answer(SessionId session, const CbsRequest& request, std::string message) {
  const std::optional<LinkId> taker = replies_.Find(session, request.reply_to);
  if (taker.has_value()) replies_.Push(*taker, std::move(message));
}

void CbsNode::OnCredit(const CreditGiven& credit) {
  replies_.OnCredit(credit);
  GiveCredit();
}

void CbsNode::SendAll() {
  replies_.SendAll();
  GiveCredit();
}

void CbsNode::GiveCredit() {
  const std::size_t count = replies_.answers();
  const std::uint32_t credit = count >= kCredit ? 0 : kCredit - static_cast<std::uint32_t>(count);
  for (auto& [id, asker] : askers_) {
    Link* const link = endpoint_.FindLink(id);
    // Half of it may be used before more is said.
    if (link != nullptr && (link->credit() < credit / 2 || link->credit() > credit)) {
      link->SetCredit(credit);
    }
  }
}

void CbsNode::Forget(LinkId link) {
  const auto asker = askers_.find(link);
  if (asker != askers_.end()) {
    partial_bytes_.GiveBack(asker->second.message.size());
    askers_.erase(asker);
  }
  replies_.Forget(link);
  GiveCredit();
}

void CbsNode::ForgetAskers() {
  for (const auto& [link, asker] : askers_) partial_bytes_.GiveBack(asker.message.size());
  askers_.clear();
}

void CbsNode::ForgetSession(SessionId session) {
  for (auto at = askers_.begin(); at != askers_.end();) {
    const auto here = at++;
    if (here->second.session != session) continue;
    partial_bytes_.GiveBack(here->second.message.size());
    askers_.erase(here);
  }
  replies_.ForgetSession(session);
  GiveCredit();
}

}  // namespace wharf::amqp
