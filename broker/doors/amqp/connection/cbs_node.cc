#include "broker/doors/amqp/connection/cbs_node.h"

#include <utility>
#include <variant>

#include "broker/doors/amqp/connection/door_errors.h"

namespace wharf::amqp {
namespace {

// A token, and what stands around it.
constexpr std::uint64_t kRequestBytesMax = std::uint64_t{32} << 10;
// No resource that a rule stands on, or below one, is called by more.
constexpr std::size_t kAudienceBytesMax = 1024;
constexpr int kPut = 202;

Status TooLarge() { return {ErrorCode::kMessageSizeExceeded, "no token is as long"}; }

std::string AddressOfTarget(const Attach& attach) {
  const auto* const target =
      attach.target.has_value() ? std::get_if<Target>(&*attach.target) : nullptr;
  return target == nullptr ? std::string() : target->address.value_or("");
}

}  // namespace

void CbsNode::Attach(const Attached& attached) {
  Link& link = *endpoint_.FindLink(attached.link);
  if (askers_.size() + takers_.size() >= kLinksMax) {
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
    takers_.emplace(attached.link, Taker{.session = attached.session,
                                         .name = attached.attach.name,
                                         .address = AddressOfTarget(attached.attach)});
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

// By the name where a client gives the link no address; and who names none has one.
CbsNode::Taker* CbsNode::TakerOf(SessionId session, const CbsRequest& request) {
  Taker* named = nullptr;
  Taker* only = nullptr;
  std::size_t of_session = 0;
  for (auto& [link, taker] : takers_) {
    if (request.reply_to.has_value()) {
      if (taker.address == *request.reply_to) return &taker;
      if (taker.name == *request.reply_to) named = &taker;
    }
    if (taker.session != session) continue;
    only = &taker;
    ++of_session;
  }
  if (named != nullptr) return named;
  return of_session == 1 ? only : nullptr;
}

// Nobody hears what is answered to nobody.
void CbsNode::Answer(SessionId session, const CbsRequest& request, std::string message) {
  Taker* const taker = TakerOf(session, request);
  if (taker == nullptr) return;
  taker->answers.push_back(std::move(message));
  SendAll();
}

void CbsNode::OnCredit(const CreditGiven& credit) {
  const auto found = takers_.find(credit.link);
  if (found == takers_.end()) return;
  found->second.is_draining = credit.drain;
  Send(found->first, found->second);
  GiveCredit();
}

void CbsNode::SendAll() {
  for (auto& [link, taker] : takers_) Send(link, taker);
  GiveCredit();
}

void CbsNode::Send(LinkId id, Taker& taker) {
  Link* const link = endpoint_.FindLink(id);
  if (link == nullptr) return;
  while (!taker.answers.empty()) {
    const OutgoingDelivery delivery{.tag = {std::to_string(taker.next_tag)}, .is_settled = true};
    const std::string_view left = std::string_view(taker.answers.front()).substr(taker.sent);
    const SendResult result = link->Send(delivery, left);
    taker.sent += result.taken;
    if (!result.is_done) break;
    taker.answers.pop_front();
    taker.sent = 0;
    ++taker.next_tag;
  }
  if (!taker.is_draining || (link->credit() > 0 && !taker.answers.empty())) return;
  taker.is_draining = false;
  link->GiveBackCredit();
}

std::size_t CbsNode::waiting() const {
  std::size_t count = 0;
  for (const auto& [link, taker] : takers_) count += taker.answers.size();
  return count;
}

void CbsNode::GiveCredit() {
  const std::size_t count = waiting();
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
  takers_.erase(link);
}

void CbsNode::ForgetSession(SessionId session) {
  for (auto at = askers_.begin(); at != askers_.end();) {
    const auto here = at++;
    if (here->second.session != session) continue;
    partial_bytes_.GiveBack(here->second.message.size());
    askers_.erase(here);
  }
  absl::erase_if(takers_, [session](const auto& one) { return one.second.session == session; });
}

}  // namespace wharf::amqp
