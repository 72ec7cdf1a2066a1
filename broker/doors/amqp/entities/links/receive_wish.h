// ReceiveWish: how a client wants to receive, by its attach: whether it locks, and from which
// session (doors.md, sections 6 and 8). Pure functions; used by BrokerLinks and ReceiveLink.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "broker/core/queue/queue.h"
#include "broker/doors/amqp/connection/link_node.h"
#include "broker/doors/amqp/types/composites.h"
#include "broker/requests/session_use.h"
#include "storage/base/status.h"

namespace wharf::amqp {

inline constexpr std::string_view kSessionFilter = "com.microsoft:session-filter";

struct ReceiveWish {
  // Of the lane that is received from.
  std::string path{};
  ReceiveMode mode = ReceiveMode::kPeekLock;
  SessionUse session{};
  // Transfers are atomic, so nothing ever comes to rest where they would: the link is there for as
  // long as the entity, and finds nothing.
  bool is_always_empty = false;
  // The broker gives many messages at a time to whoever has credit for them. Consumers that share a
  // subscription ask for so many at a time, whatever their credit, and so take turns. Absent: for
  // all that there is credit for.
  std::function<std::uint64_t()> turn{};
  // What is rolled back has failed, and its delivery counts: of JMS consumers, who settle what they
  // take in a transaction at once, and could have it again and again for ever.
  bool counts_rollbacks = false;

  bool locks() const { return mode == ReceiveMode::kPeekLock; }
  bool wants_session() const { return std::holds_alternative<SessionChoice>(session); }
};

// A filter that is not known is refused: its client would get other messages than it asked for.
Result<ReceiveWish> WishOf(const LinkNode& node, const Attach& attach);

// Of a link that got this session: its filter, and until when it is locked.
void TellSession(const AcceptedSession& session, Attach& answer);

}  // namespace wharf::amqp
