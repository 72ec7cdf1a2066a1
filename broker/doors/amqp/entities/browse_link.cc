#include "broker/doors/amqp/entities/browse_link.h"

#include <utility>

#include "broker/doors/amqp/entities/amqp_message.h"

namespace wharf::amqp {

void BrowseLink::Begin(const Attach& attach) {
  attach_.source = attach.source;
  attach_.target = attach.target;
  attach_.snd_settle_mode = SenderSettleMode::kSettled;
  attach_.rcv_settle_mode = attach.rcv_settle_mode;
  attach_.max_message_size = attach.max_message_size;
  AskMore();
}

void BrowseLink::AskMore() {
  if (is_asking_ || !next_.has_value() || has_ended_) return;
  is_asking_ = true;
  PeekRequest request{.entity = {world_.path},
                      .from = *next_,
                      .filter = PeekFilter::kActive,
                      .messages_max = kPageMessagesMax,
                      .bytes_max = kPageBytesMax};
  AskFor(world_, world_.CallerWith(permit_), std::move(request), kPageBytesMax,
         [self = shared_from_this()](const Result<PeekPage>& page) { self->OnPage(page); });
}

// A page may show nothing and know where to go on. What cannot be read is left out.
void BrowseLink::OnPage(const Result<PeekPage>& page) {
  is_asking_ = false;
  if (has_ended_) return;
  if (!page.ok()) {
    if (!is_accepted_) return world_.Refuse(page.status(), NewTrackingId());
    return world_.Detach(page.status());
  }
  const bool is_partitioned = world_.requests.Find(world_.path).is_partitioned;
  for (const PeekedMessage& peeked : page->messages) {
    if (!peeked.unreadable.empty()) continue;
    ready_.push_back(EncodedOf({.message = peeked.message, .delivery = peeked.delivery},
                               std::nullopt, is_partitioned));
  }
  next_ = page->next;
  if (!std::exchange(is_accepted_, true)) world_.Accept(std::move(attach_));
  Send();
}

void BrowseLink::OnCredit(const CreditGiven& credit) {
  is_draining_ = credit.drain;
  Send();
}

void BrowseLink::Send() {
  Link* const link = world_.link();
  if (link == nullptr || !is_accepted_ || has_ended_) return;
  while (SendNext(*link)) {
  }
  if (ready_.empty() && link->credit() > 0) AskMore();
  EndDrain(*link);
}

bool BrowseLink::SendNext(Link& link) {
  if (ready_.empty() || (written_ == 0 && link.credit() == 0)) return false;
  const OutgoingDelivery delivery{.tag = {std::to_string(next_tag_)}, .is_settled = true};
  const SendResult result = link.Send(delivery, std::string_view(ready_.front()).substr(written_));
  written_ += result.taken;
  if (!result.is_done) return false;
  written_ = 0;
  ++next_tag_;
  ready_.pop_front();
  return true;
}

void BrowseLink::EndDrain(Link& link) {
  const bool has_more = !ready_.empty() || is_asking_ || next_.has_value();
  if (!is_draining_ || (has_more && link.credit() > 0)) return;
  is_draining_ = false;
  link.GiveBackCredit();
}

}  // namespace wharf::amqp
