// SendLink: a link by which a client sends to a queue or a topic.
//
// Puts messages together, hands those that came at one go to the broker at one go, and tells the
// outcome of each when the commit is done. How much it lets a client send before that is bounded by
// credit and by the bytes of the connection that are not answered. A message over 1 MiB goes on
// while it comes (LargeSend). The link ends when its entity, or the one that it sends by way of,
// takes no more messages. Owned by BrokerLinks, on the strand of the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/doors/amqp/entities/links/large_send.h"
#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/doors/amqp/entities/links/node_link.h"

namespace wharf::amqp {

class SendLink final : public NodeLink, public std::enable_shared_from_this<SendLink> {
 public:
  // `via`: what it sends goes by way of this entity; empty: straight (TXN-5).
  SendLink(LinkWorld world, access::PermitPtr permit, std::string via)
      : world_(std::move(world)), via_(std::move(via)), permit_(std::move(permit)) {}
  ~SendLink() override;

  // Is answered when the broker has said what the entity takes.
  void Begin(const Attach& attach);
  void OnDelivered(const Delivered& part) override;
  void OnHeard() override { SendKept(); }
  // What still comes of a message is not taken for another one.
  void End() override;
  void Renew(const access::PermitPtr& permit) override { permit_ = permit; }

 private:
  static constexpr std::uint32_t kCredit = 1000;
  // Of what is kept.
  static constexpr std::size_t kKeptMax = 256;
  static constexpr std::size_t kKeptBytesMax = std::size_t{256} << 10;

  // Messages that came at one go and have nothing to do with each other.
  struct Kept {
    std::vector<Message> messages;
    std::vector<DeliveryId> deliveries;
    // That they are worth while they are not answered.
    std::size_t bytes = 0;
  };

  void AskAbout(EntityKind kind);
  void OnEntity(EntityKind kind, const Result<QueueSnapshot>& entity);
  void AwaitClosed(const std::string& path);
  void OnEntityClosed(const Status& why);
  void DetachIfAnswered();
  // What comes between the two.
  void RefuseLate(const Delivered& part);
  void Collect(const Delivered& part);
  // A message that is large goes to the broker while it comes.
  void TryLarge(const Delivered& part);
  std::size_t HeldBytesMax(const Delivered& part) const;
  bool TryOpen(const Delivered& part);
  void BeginLarge(const Delivered& part, LargeSend::Begun begun);
  void EndLarge(const Delivered& part);
  void Handle(const Delivered& part);
  void HandleOpen(const Delivered& part);
  void Keep(const Delivered& part, Message message, std::size_t bytes);
  void SendKept();
  // In no transaction: all of a batch, or nothing of it; or one message.
  void SendAlone(const Delivered& part, std::vector<Message> messages, std::size_t bytes,
                 const Caller& caller);
  void SendIn(const Binary& txn_id, const Delivered& part, std::vector<Message> messages,
              std::size_t bytes, const Caller& caller);
  Result<std::vector<Message>> MessagesOf(std::uint32_t format, std::string_view encoded) const;
  // `outcome`: what it is answered if nothing has failed.
  void OnSent(DeliveryId delivery, const TrackingId& tracking_id, const Status& failed,
              DeliveryState outcome);
  void Reject(DeliveryId delivery, const Status& why, const TrackingId& tracking_id);
  // What was put together is the broker's now, or nobody's.
  void GiveBackPartial();
  void GiveCredit();

  const LinkWorld world_;
  const std::string via_;
  access::PermitPtr permit_;
  // As it is answered.
  Attach attach_;
  // What has come of a message that comes in several parts.
  std::string message_;
  // What the client is told.
  std::uint64_t message_bytes_max_ = 0;
  // Where duplicates are looked for what is sent at one go has a bound that one message alone
  // keeps.
  bool may_keep_ = false;
  Kept kept_;
  // Of the message that comes, if it is in a transaction.
  std::optional<Binary> txn_id_;
  // Of a message that is known to be larger than 1 MiB.
  std::unique_ptr<LargeSend> large_;
  // It is known not to be, or not to be fit for that.
  bool is_small_ = false;
  // So much of it must be there before it is looked at again.
  std::size_t look_at_ = 0;
  bool has_ended_ = false;
  // Of the entity: nothing is sent any more, and the link ends behind the last answer.
  Status closed_;
  // To hear that its entities take no more.
  std::vector<std::shared_ptr<WaitHandle>> closed_waits_;
  // Why it will not be sent: nothing more of it is kept.
  Status refused_;
  // What the broker has not answered.
  std::uint32_t unanswered_ = 0;
};

}  // namespace wharf::amqp
