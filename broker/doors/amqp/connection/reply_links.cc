#include "broker/doors/amqp/connection/reply_links.h"

#include <utility>
#include <variant>

namespace wharf::amqp {
namespace {

std::string AddressOfTarget(const Attach& attach) {
  const auto* const target =
      attach.target.has_value() ? std::get_if<Target>(&*attach.target) : nullptr;
  return target == nullptr ? std::string() : target->address.value_or("");
}

}  // namespace

void ReplyLinks::Add(LinkId link, SessionId session, const Attach& attach) {
  takers_.emplace(
      link, Taker{.session = session, .name = attach.name, .address = AddressOfTarget(attach)});
}

void ReplyLinks::ForgetSession(SessionId session) {
  absl::erase_if(takers_, [session](const auto& one) {
    const bool is_gone = one.second.session == session;
    if (is_gone) Drop(one.second);
    return is_gone;
  });
}

void ReplyLinks::Forget(LinkId link) {
  const auto found = takers_.find(link);
  if (found == takers_.end()) return;
  Drop(found->second);
  takers_.erase(found);
}

void ReplyLinks::Drop(const Taker& taker) {
  for (const Answer& answer : taker.answers) answer.ended(false);
}

std::optional<LinkId> ReplyLinks::Find(SessionId session,
                                       const std::optional<std::string>& reply_to) const {
  std::optional<LinkId> named;
  std::optional<LinkId> only;
  std::size_t of_session = 0;
  for (const auto& [link, taker] : takers_) {
    if (reply_to.has_value()) {
      if (taker.address == *reply_to) return link;
      if (taker.name == *reply_to) named = link;
    }
    if (taker.session != session) continue;
    only = link;
    ++of_session;
  }
  if (named.has_value()) return named;
  return of_session == 1 ? only : std::nullopt;
}

void ReplyLinks::Push(LinkId link, std::string message, Ended ended) {
  Add(link, {.message = std::move(message), .ended = std::move(ended)});
}

void ReplyLinks::PushBegin(LinkId link, std::string begin, Rest rest, Ended ended) {
  Add(link, {.message = std::move(begin), .ended = std::move(ended), .rest = std::move(rest)});
}

void ReplyLinks::Add(LinkId link, Answer answer) {
  const auto found = takers_.find(link);
  if (found == takers_.end()) return answer.ended(false);
  answer.number = ++last_number_;
  found->second.answers.push_back(std::move(answer));
  Send(link, found->second);
}

void ReplyLinks::OnCredit(const CreditGiven& credit) {
  const auto found = takers_.find(credit.link);
  if (found == takers_.end()) return;
  found->second.is_draining = credit.drain;
  Send(found->first, found->second);
}

void ReplyLinks::SendAll() {
  for (auto& [link, taker] : takers_) Send(link, taker);
}

void ReplyLinks::Send(LinkId id, Taker& taker) {
  Link* const link = endpoint_.FindLink(id);
  if (link == nullptr) return;
  while (!taker.answers.empty() && SendFirst(id, *link, taker)) {
  }
  if (!taker.is_draining || (link->credit() > 0 && !taker.answers.empty())) return;
  taker.is_draining = false;
  link->GiveBackCredit();
}

bool ReplyLinks::SendFirst(LinkId id, Link& link, Taker& taker) {
  Answer& answer = taker.answers.front();
  if (answer.is_reading) return false;
  const OutgoingDelivery delivery{.tag = {std::to_string(taker.next_tag)}, .is_settled = true};
  const std::string_view left = std::string_view(answer.message).substr(taker.sent);
  const SendResult result = link.Send(delivery, left, !answer.rest.has_value());
  taker.sent += result.taken;
  if (!result.is_done) {
    if (result.has_begun && taker.sent == answer.message.size()) ReadMore(id, answer);
    return false;
  }
  answer.ended(true);
  taker.answers.pop_front();
  taker.sent = 0;
  ++taker.next_tag;
  return true;
}

void ReplyLinks::ReadMore(LinkId id, Answer& answer) {
  answer.is_reading = true;
  answer.rest->read([this, id, number = answer.number](Result<Piece> piece) {
    OnPiece(id, number, std::move(piece));
  });
}

void ReplyLinks::OnPiece(LinkId id, std::uint64_t number, Result<Piece> piece) {
  const auto found = takers_.find(id);
  if (found == takers_.end() || found->second.answers.empty()) return;
  Answer& answer = found->second.answers.front();
  if (answer.number != number) return;
  if (!piece.ok()) {
    const auto broken = std::move(answer.rest->broken);
    Forget(id);
    return broken(piece.status());
  }
  answer.is_reading = false;
  answer.message = std::move(piece->bytes);
  if (piece->is_last) answer.rest.reset();
  found->second.sent = 0;
  Send(id, found->second);
}

std::size_t ReplyLinks::answers() const {
  std::size_t count = 0;
  for (const auto& [link, taker] : takers_) count += taker.answers.size();
  return count;
}

std::size_t ReplyLinks::bytes() const {
  std::size_t sum = 0;
  for (const auto& [link, taker] : takers_) {
    for (const Answer& answer : taker.answers) sum += answer.message.size();
  }
  return sum;
}

}  // namespace wharf::amqp
