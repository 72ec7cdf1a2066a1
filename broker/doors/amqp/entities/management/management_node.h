// ManagementNode: the `$management` of all entities, for one connection: links that bring requests,
// and links that take what became of them.
//
// Each request is an Operation, asked in the name of the link that brought it. Owned by
// BrokerLinks, on the strand of the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/connection/entity_links.h"
#include "broker/doors/amqp/connection/reply_links.h"
#include "broker/doors/amqp/entities/management/operation.h"

namespace wharf::amqp {

class ManagementNode {
 public:
  // All outlive it.
  ManagementNode(Requests& requests, OpenConnection& connection, TransactionNode& transactions,
                 Operation::FindSession find_session);
  ~ManagementNode();

  // The client attaches a link to a `$management`, and is answered.
  void Attach(const EntityLinks::Granted& granted);
  bool Has(LinkId link) const { return askers_.contains(link) || replies_.Has(link); }
  void OnDelivered(const Delivered& part);
  void OnCredit(const CreditGiven& credit);
  // There is room again.
  void SendAll();
  void Renew(LinkId link, const access::PermitPtr& permit);
  void Forget(LinkId link);

 private:
  // Requests of one link that are not answered, by credit.
  static constexpr std::uint32_t kCredit = 16;
  // Of answers that wait: from here on nobody gets credit, and from there on what was under way is
  // rejected.
  static constexpr std::size_t kWaitingBytesMax = std::size_t{2} << 20;
  static constexpr std::size_t kWaitingBytesEver = std::size_t{8} << 20;

  struct Asker {
    SessionId session;
    std::string path;
    access::PermitPtr permit;
    std::string message{};
    // Of the message, if it is in a transaction.
    std::optional<Binary> txn_id{};
    // Why it will not be done: nothing more of it is kept.
    Status refused{};
    std::uint32_t under_way = 0;
  };

  void Collect(Asker& asker, const Delivered& part);
  DeliveryState Handle(LinkId link, Asker& asker);
  void Reply(LinkId asker, SessionId session, const ManagementRequest& request,
             const ManagementReply& reply);
  // A link that has half an answer ends.
  ReplyLinks::Rest RestOf(const LargeReplyMessage& large, LinkId taker);
  void GiveCredit();
  LinkWorld WorldOf(LinkId link, const std::string& path) const {
    return {requests_, connection_, transactions_, link, path};
  }

  Requests& requests_;
  OpenConnection& connection_;
  TransactionNode& transactions_;
  Operation::Node node_;
  absl::flat_hash_map<LinkId, Asker> askers_;
  ReplyLinks replies_;
};

}  // namespace wharf::amqp
