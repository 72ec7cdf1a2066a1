#include "broker/doors/amqp/connection/link_node.h"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "broker/access/ascii_text.h"
#include "broker/access/resource.h"
#include "broker/requests/rights_for.h"

namespace wharf::amqp {
namespace {

using access::Right;

constexpr std::string_view kClaimsNode = "$cbs";
constexpr std::string_view kManagementSuffix = "/$management";
constexpr std::string_view kDestination = "com.microsoft:transfer-destination-address";
constexpr std::string_view kTransferDeadLetterSuffix = "/$Transfer/$DeadLetterQueue";

std::string_view WithoutHost(std::string_view address) {
  const std::size_t scheme = address.find("://");
  if (scheme == std::string_view::npos) return address;
  const std::size_t slash = address.find('/', scheme + 3);
  return slash == std::string_view::npos ? std::string_view() : address.substr(slash);
}

std::string_view WithoutOuterSlashes(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool TakeSuffix(std::string_view& path, std::string_view suffix) {
  if (path.size() <= suffix.size() ||
      !access::EqualsInAnyCase(path.substr(path.size() - suffix.size()), suffix))
    return false;
  path.remove_suffix(suffix.size());
  return true;
}

NodeKind KindOf(std::string_view& path) {
  if (access::EqualsInAnyCase(path, kClaimsNode)) return NodeKind::kClaims;
  if (TakeSuffix(path, kManagementSuffix)) return NodeKind::kManagement;
  if (TakeSuffix(path, kTransferDeadLetterSuffix)) return NodeKind::kTransferDeadLetter;
  return NodeKind::kEntity;
}

// Which operation of management it will be is not known yet: each asks for its own right.
std::vector<Right> RightsOf(NodeKind kind, Role own) {
  if (kind == NodeKind::kManagement) return {Right::kListen, Right::kManage, Right::kSend};
  return {own == Role::kReceiver ? Right::kSend : Right::kListen};
}

// Of a transfer dead-letter queue, which has no lane of its own, that of the dead-letter queue.
std::string AskedOn(NodeKind kind, std::string_view path) {
  if (kind != NodeKind::kTransferDeadLetter) return ResourceOfAddress(path);
  return ResourceOfAddress(std::string(path) + "/$DeadLetterQueue");
}

// Longer than any path with a host before it: rights are looked for on all that a path is below of.
constexpr std::size_t kAddressBytesMax = 1024;

Result<LinkNode> NodeOfShort(const std::string& address, Role own) {
  if (address.size() <= kAddressBytesMax) return NodeOfAddress(address, own);
  return Status(ErrorCode::kInvalidOperation,
                "the address of the link is longer than that of any entity");
}

// Where what a sender sends by way of its target goes on to; null: nowhere.
const std::string* DestinationOf(const Attach& attach) {
  if (!attach.properties.has_value()) return nullptr;
  const Value* const said = attach.properties->FindSymbol(kDestination);
  return said == nullptr ? nullptr : said->As<std::string>();
}

Status NoAddress() {
  return {ErrorCode::kInvalidOperation, "the link names no entity: its terminus has no address"};
}

}  // namespace

// A claim may be for a node below the entity as well as for the entity (doors.md, section 3).
LinkNode NodeOfAddress(std::string_view address, Role own) {
  const std::string_view whole =
      WithoutOuterSlashes(WithoutHost(address.substr(0, address.find('?'))));
  std::string_view path = whole;
  const NodeKind kind = KindOf(path);
  return {.kind = kind,
          .path = std::string(path),
          .resource = ResourceOfAddress(whole),
          .asked = AskedOn(kind, path),
          .rights = RightsOf(kind, own)};
}

namespace {

// Nothing if it is none of those that have no address.
std::optional<LinkNode> JmsNodeOf(const Attach& attach, Role own) {
  // Whoever may manage everything may make something new.
  const LinkNode temporary{.kind = NodeKind::kTemporary, .rights = {Right::kManage}};
  if (own == Role::kSender) {
    if (!attach.source.has_value()) return LinkNode{.kind = NodeKind::kSubscriptionName};
    if (attach.source->dynamic && !attach.source->address.has_value()) return temporary;
    return std::nullopt;
  }
  if (!attach.target.has_value()) return LinkNode{.kind = NodeKind::kRelay};
  const auto* const target = std::get_if<Target>(&*attach.target);
  if (target == nullptr || target->address.has_value()) return std::nullopt;
  return target->dynamic ? temporary : LinkNode{.kind = NodeKind::kRelay};
}

}  // namespace

Result<LinkNode> NodeOf(const Attach& attach, Role own, bool serves_jms) {
  if (serves_jms) {
    if (std::optional<LinkNode> node = JmsNodeOf(attach, own)) return *std::move(node);
  }
  if (own == Role::kSender) {
    if (!attach.source.has_value() || !attach.source->address.has_value()) return NoAddress();
    return NodeOfShort(*attach.source->address, own);
  }
  if (!attach.target.has_value()) return NoAddress();
  if (std::holds_alternative<Coordinator>(*attach.target)) {
    return LinkNode{.kind = NodeKind::kCoordinator};
  }
  const Target& target = std::get<Target>(*attach.target);
  if (!target.address.has_value()) return NoAddress();
  Result<LinkNode> node = NodeOfShort(*target.address, own);
  const std::string* const destination = DestinationOf(attach);
  if (!node.ok() || destination == nullptr || node->kind != NodeKind::kEntity) return node;
  Result<LinkNode> to = NodeOfShort(*destination, own);
  if (!to.ok()) return to;
  if (to->kind != NodeKind::kEntity) {
    return Status(ErrorCode::kInvalidOperation,
                  "what is sent by way of an entity goes to a queue or a topic");
  }
  to->via = std::move(node->path);
  to->via_resource = std::move(node->resource);
  return to;
}

access::PermitPtr PermitOn(const LinkNode& node, const access::PermitPtr& permit) {
  const bool is_below =
      node.kind == NodeKind::kManagement || node.kind == NodeKind::kTransferDeadLetter;
  if (!is_below || permit == nullptr || access::Covers(permit->resource, node.asked)) return permit;
  if (!access::Covers(permit->path, node.asked)) return permit;
  access::Permit wider = *permit;
  wider.resource = node.asked;
  return std::make_shared<const access::Permit>(std::move(wider));
}

}  // namespace wharf::amqp
