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
  const auto found = takers_.find(link);
  if (found == takers_.end()) return ended(false);
  found->second.answers.push_back({std::move(message), std::move(ended)});
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
  while (!taker.answers.empty()) {
    const OutgoingDelivery delivery{.tag = {std::to_string(taker.next_tag)}, .is_settled = true};
    const std::string_view left =
        std::string_view(taker.answers.front().message).substr(taker.sent);
    const SendResult result = link->Send(delivery, left);
    taker.sent += result.taken;
    if (!result.is_done) break;
    taker.answers.front().ended(true);
    taker.answers.pop_front();
    taker.sent = 0;
    ++taker.next_tag;
  }
  if (!taker.is_draining || (link->credit() > 0 && !taker.answers.empty())) return;
  taker.is_draining = false;
  link->GiveBackCredit();
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
