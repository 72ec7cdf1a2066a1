#include "broker/doors/amqp/entities/jms/browse_link.h"

#include <algorithm>
#include <utility>

#include "broker/doors/amqp/entities/amqp_message.h"

namespace wharf::amqp {

void BrowseLink::Begin(const Attach& attach) {
  attach_.source = attach.source;
  attach_.target = attach.target;
  attach_.snd_settle_mode = SenderSettleMode::kSettled;
  attach_.rcv_settle_mode = attach.rcv_settle_mode;
  attach_.max_message_size = attach.max_message_size;
  PeekRequest request{.entity = {world_.path}, .filter = PeekFilter::kActive, .messages_max = 1};
  AskFor(
      world_, world_.CallerWith(permit_), std::move(request), kPageBytesMax,
      [self = shared_from_this()](const Result<PeekPage>& page) { self->OnLooked(page.status()); });
}

// What it was shown is not kept: there is no credit for it yet.
void BrowseLink::OnLooked(const Status& looked) {
  if (has_ended_) return;
  if (!looked.ok()) return world_.Refuse(looked, NewTrackingId());
  is_accepted_ = true;
  world_.Accept(std::move(attach_));
  Send();
}

void BrowseLink::AskMore() {
  if (is_waiting_ || is_asking_ || !next_.has_value() || has_ended_) return;
  if (has_turn_) return Ask();
  is_waiting_ = true;
  pages_->Enter(
      [self = shared_from_this()] {
        self->is_waiting_ = false;
        self->has_turn_ = true;
        self->Ask();
      },
      this);
}

// Its credit may have gone while it waited.
void BrowseLink::Ask() {
  Link* const link = world_.link();
  if (has_ended_ || link == nullptr || link->credit() == 0) return GiveUpTurn();
  is_asking_ = true;
  PeekRequest request{.entity = {world_.path},
                      .from = *next_,
                      .filter = PeekFilter::kActive,
                      .messages_max = std::min<std::size_t>(link->credit(), kPageMessagesMax),
                      .bytes_max = kPageBytesMax};
  AskFor(world_, world_.CallerWith(permit_), std::move(request), kPageBytesMax,
         [self = shared_from_this()](const Result<PeekPage>& page) { self->OnPage(page); });
}

// A page may show nothing and know where to go on. What cannot be read is left out.
void BrowseLink::OnPage(const Result<PeekPage>& page) {
  is_asking_ = false;
  if (has_ended_) return;
  if (!page.ok()) {
    GiveUpTurn();
    return world_.Detach(page.status());
  }
  const bool is_partitioned = world_.requests.Find(world_.path).is_partitioned;
  for (const PeekedMessage& peeked : page->messages) {
    if (!peeked.unreadable.empty()) continue;
    ready_.push_back(
        {peeked.message->number, EncodedOf({.message = peeked.message, .delivery = peeked.delivery},
                                           std::nullopt, is_partitioned)});
  }
  next_ = page->next;
  Send();
}

void BrowseLink::DropReady() {
  if (ready_.empty() || written_ > 0) return;
  next_ = ready_.front().number;
  ready_.clear();
}

void BrowseLink::GiveUpTurn() {
  if (has_turn_ && ready_.empty() && !is_asking_ && std::exchange(has_turn_, false)) {
    pages_->Leave();
  }
}

void BrowseLink::End() {
  if (std::exchange(has_ended_, true)) return;
  ready_.clear();
  if (std::exchange(is_waiting_, false)) pages_->GiveUp(this);
  // A page that is under way counts where it was asked for.
  is_asking_ = false;
  GiveUpTurn();
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
  if (link->credit() == 0) DropReady();
  if (ready_.empty() && link->credit() > 0) AskMore();
  GiveUpTurn();
  EndDrain(*link);
}

bool BrowseLink::SendNext(Link& link) {
  if (ready_.empty() || (written_ == 0 && link.credit() == 0)) return false;
  const OutgoingDelivery delivery{.tag = {std::to_string(next_tag_)}, .is_settled = true};
  const SendResult result =
      link.Send(delivery, std::string_view(ready_.front().encoded).substr(written_));
  written_ += result.taken;
  if (!result.is_done) return false;
  written_ = 0;
  ++next_tag_;
  ready_.pop_front();
  return true;
}

void BrowseLink::EndDrain(Link& link) {
  const bool has_more = !ready_.empty() || is_asking_ || is_waiting_ || next_.has_value();
  if (!is_draining_ || (has_more && link.credit() > 0)) return;
  is_draining_ = false;
  link.GiveBackCredit();
}

}  // namespace wharf::amqp
