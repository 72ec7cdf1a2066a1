// BrowseLink: a link by which a JMS browser looks at a queue: copies of what waits there, settled,
// without a lock, and in the order of their numbers (JMS-8). A drain finds the end.
//
// At most so many messages are asked for as there is credit for, and no page before the last one is
// sent; of all browsers of a connection so many have a page at a time. Of a large message its body
// stays where it is. Owned by BrokerLinks, on the strand of the connection.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "broker/doors/amqp/entities/links/link_world.h"
#include "broker/doors/amqp/entities/links/node_link.h"
#include "broker/doors/amqp/entities/management/walks.h"

namespace wharf::amqp {

class BrowseLink final : public NodeLink, public std::enable_shared_from_this<BrowseLink> {
 public:
  // Pages of one connection that are asked for, or not sent.
  static constexpr std::size_t kPagesMax = 8;

  BrowseLink(LinkWorld world, access::PermitPtr permit, std::shared_ptr<Walks> pages)
      : world_(std::move(world)), permit_(std::move(permit)), pages_(std::move(pages)) {}

  // Is answered when the broker has shown that it may look.
  void Begin(const Attach& attach);
  void OnCredit(const CreditGiven& credit) override;
  void Send() override;
  void Renew(const access::PermitPtr& permit) override { permit_ = permit; }
  void End() override;

 private:
  static constexpr std::size_t kPageMessagesMax = 100;
  static constexpr std::size_t kPageBytesMax = std::size_t{256} << 10;

  void OnLooked(const Status& looked);
  // Waits for its turn, unless it has one.
  void AskMore();
  void Ask();
  void OnPage(const Result<PeekPage>& page);
  // Of what nobody has credit for any more, which is looked at again.
  void DropReady();
  // If it has nothing to send.
  void GiveUpTurn();
  bool SendNext(Link& link);
  void EndDrain(Link& link);

  const LinkWorld world_;
  access::PermitPtr permit_;
  const std::shared_ptr<Walks> pages_;
  Attach attach_;
  bool is_accepted_ = false;
  bool has_ended_ = false;
  // It waits for its turn.
  bool is_waiting_ = false;
  // A page is asked for and has not come.
  bool is_asking_ = false;
  // It is one of those that have a page.
  bool has_turn_ = false;
  // Where the next page begins; absent: there is none.
  std::optional<SequenceNumber> next_ = SequenceNumber();
  struct Ready {
    SequenceNumber number;
    std::string encoded;
  };
  // Not written; of the first so much is.
  std::deque<Ready> ready_;
  std::size_t written_ = 0;
  std::uint64_t next_tag_ = 0;
  bool is_draining_ = false;
};

}  // namespace wharf::amqp
