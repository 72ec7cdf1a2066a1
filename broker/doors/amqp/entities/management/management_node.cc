#include "broker/doors/amqp/entities/management/management_node.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "broker/doors/amqp/entities/management/operations.h"
#include "broker/doors/amqp/entities/transactions/transaction_node.h"

namespace wharf::amqp {
namespace {

// A batch of messages to schedule, and what stands around it.
constexpr std::uint64_t kRequestBytesMax = (std::uint64_t{1} << 20) + (std::uint64_t{64} << 10);

}  // namespace

ManagementNode::ManagementNode(Requests& requests, OpenConnection& connection,
                               TransactionNode& transactions, Operation::FindSession find_session)
    : requests_(requests),
      connection_(connection),
      transactions_(transactions),
      node_{.find_session = std::move(find_session),
            .walks = {},
            .locks = std::make_shared<UnheardLocks>(requests, connection.peer())},
      replies_(connection.endpoint()) {}

ManagementNode::~ManagementNode() { node_.locks->End(); }

// Whether there is such an entity is told to each request.
void ManagementNode::Attach(const EntityLinks::Granted& granted) {
  amqp::Attach answer;
  answer.snd_settle_mode = granted.attach.snd_settle_mode;
  answer.source = granted.attach.source;
  answer.target = granted.attach.target;
  answer.max_message_size = kRequestBytesMax;
  const LinkWorld world = WorldOf(granted.link, granted.node.path);
  world.Accept(std::move(answer));
  if (granted.attach.role == Role::kReceiver) {
    replies_.Add(granted.link, granted.session, granted.attach);
    return;
  }
  askers_.emplace(
      granted.link,
      Asker{.session = granted.session, .path = granted.node.path, .permit = granted.permit});
  GiveCredit();
}

void ManagementNode::OnDelivered(const Delivered& part) {
  const auto found = askers_.find(part.link);
  if (found == askers_.end()) return;
  Asker& asker = found->second;
  Collect(asker, part);
  if (!part.is_last && !part.is_aborted) return;
  connection_.partial_bytes().GiveBack(asker.message.size());
  DeliveryState outcome = Accepted();
  if (!part.is_aborted) outcome = Handle(part.link, asker);
  asker.message = std::string();
  asker.txn_id.reset();
  asker.refused = Status();
  Link* const link = connection_.endpoint().FindLink(part.link);
  if (link != nullptr && !part.is_settled && !part.is_aborted) {
    link->Settle(part.delivery, std::move(outcome));
  }
  GiveCredit();
}

void ManagementNode::Collect(Asker& asker, const Delivered& part) {
  if (const auto* const in = TransactionIn(part.state)) asker.txn_id = in->txn_id;
  if (!asker.refused.ok()) return;
  if (!part.is_too_large && connection_.partial_bytes().Take(part.payload.size())) {
    asker.message += part.payload;
  } else {
    asker.refused = {ErrorCode::kMessageSizeExceeded, "the request is larger than may be"};
  }
}

DeliveryState ManagementNode::Handle(LinkId link, Asker& asker) {
  const LinkWorld world = WorldOf(link, asker.path);
  const auto reject = [this, &world, &asker](const Status& why) {
    if (asker.txn_id.has_value()) transactions_.Fail(*asker.txn_id, why);
    return DeliveryState(world.RejectedFor(why, NewTrackingId()));
  };
  if (asker.refused.ok() && asker.txn_id.has_value()) {
    asker.refused = transactions_.Check(*asker.txn_id);
  }
  if (!asker.refused.ok()) return reject(asker.refused);
  if (replies_.bytes() > kWaitingBytesEver) {
    return reject({ErrorCode::kServiceBusy, "answers wait that the client does not take"});
  }
  Result<ManagementRequest> request = ReadManagementRequest(asker.message);
  if (!request.ok()) return reject(request.status());
  ++asker.under_way;
  if (request->link_name.has_value()) connection_.NoteUseOf(*request->link_name);
  Do(std::make_shared<Operation>(world, asker.permit, *std::move(request), asker.txn_id, node_,
                                 [this, link, session = asker.session](
                                     const ManagementRequest& asked, const ManagementReply& reply) {
                                   Reply(link, session, asked, reply);
                                 }));
  return asker.txn_id.has_value() ? AcceptedIn(*asker.txn_id) : Accepted();
}

// Nobody hears what is answered to nobody.
void ManagementNode::Reply(LinkId asker, SessionId session, const ManagementRequest& request,
                           const ManagementReply& reply) {
  const auto found = askers_.find(asker);
  if (found != askers_.end()) --found->second.under_way;
  const std::optional<LinkId> taker = replies_.Find(session, request.reply_to);
  if (!taker.has_value()) {
    node_.locks->Release(reply.locked);
  } else {
    const auto ended = [this, locked = reply.locked](bool is_written) {
      is_written ? node_.locks->NoteHeard(locked) : node_.locks->Release(locked);
    };
    std::string message = WriteManagementReply(request, reply);
    if (reply.large.has_value()) {
      replies_.PushBegin(*taker, std::move(message), RestOf(*reply.large, *taker), ended);
    } else {
      replies_.Push(*taker, std::move(message), ended);
    }
  }
  GiveCredit();
}

ReplyLinks::Rest ManagementNode::RestOf(const LargeReplyMessage& large, LinkId taker) {
  return {.read = large.read, .broken = [this, taker](const Status& why) {
            WorldOf(taker, "").Detach(why);
            GiveCredit();
          }};
}

void ManagementNode::OnCredit(const CreditGiven& credit) {
  replies_.OnCredit(credit);
  GiveCredit();
}

void ManagementNode::SendAll() {
  replies_.SendAll();
  GiveCredit();
}

void ManagementNode::Renew(LinkId link, const access::PermitPtr& permit) {
  const auto found = askers_.find(link);
  if (found != askers_.end()) found->second.permit = permit;
}

void ManagementNode::Forget(LinkId link) {
  const auto found = askers_.find(link);
  if (found != askers_.end()) {
    const std::optional<Binary>& txn_id = found->second.txn_id;
    if (txn_id.has_value()) transactions_.Fail(*txn_id, WithoutLink());
    connection_.partial_bytes().GiveBack(found->second.message.size());
    askers_.erase(found);
  }
  if (!replies_.Has(link)) return;
  replies_.Forget(link);
  // For its answers others may have had none.
  GiveCredit();
}

// Half of it may be used before more is said.
void ManagementNode::GiveCredit() {
  const bool is_full = replies_.bytes() >= kWaitingBytesMax;
  for (auto& [id, asker] : askers_) {
    Link* const link = connection_.endpoint().FindLink(id);
    if (link == nullptr) continue;
    const std::uint32_t credit = is_full ? 0 : kCredit - std::min(kCredit, asker.under_way);
    if (link->credit() < credit / 2 || link->credit() > credit) link->SetCredit(credit);
  }
}

}  // namespace wharf::amqp
