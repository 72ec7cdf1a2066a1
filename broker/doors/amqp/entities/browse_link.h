// BrowseLink: a link by which a JMS browser looks at a queue: copies of what waits there, settled,
// without a lock, and in the order of their numbers (JMS-8). A drain finds the end.
//
// Of a large message its body stays where it is. Owned by BrokerLinks, on the strand of the
// connection.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "broker/doors/amqp/entities/link_world.h"
#include "broker/doors/amqp/entities/node_link.h"

namespace wharf::amqp {

class BrowseLink final : public NodeLink, public std::enable_shared_from_this<BrowseLink> {
 public:
  BrowseLink(LinkWorld world, access::PermitPtr permit)
      : world_(std::move(world)), permit_(std::move(permit)) {}

  // Is answered when the broker has shown the first page.
  void Begin(const Attach& attach);
  void OnCredit(const CreditGiven& credit) override;
  void Send() override;
  void Renew(const access::PermitPtr& permit) override { permit_ = permit; }
  void End() override { has_ended_ = true; }

 private:
  static constexpr std::size_t kPageMessagesMax = 100;
  static constexpr std::size_t kPageBytesMax = std::size_t{256} << 10;

  void AskMore();
  void OnPage(const Result<PeekPage>& page);
  bool SendNext(Link& link);
  void EndDrain(Link& link);

  const LinkWorld world_;
  access::PermitPtr permit_;
  Attach attach_;
  bool is_accepted_ = false;
  bool has_ended_ = false;
  // A page is asked for and has not come.
  bool is_asking_ = false;
  // Where the next page begins; absent: there is none.
  std::optional<SequenceNumber> next_ = SequenceNumber();
  // Encoded, and not written; of the first so much is.
  std::deque<std::string> ready_;
  std::size_t written_ = 0;
  std::uint64_t next_tag_ = 0;
  bool is_draining_ = false;
};

}  // namespace wharf::amqp
