// What a connection hears. Each is a value; what one of them views stands until Connection::Next
// or Feed is called again.
//
// What a peer begins is answered, or refused, by whoever hears of it, when it is ready: SendOpen,
// SendBegin, SendAttach, and in the end SendDetach, SendEnd, SendClose. A connection, a session and
// a link end with one event each, whoever ended them; with a session its links end, with a
// connection its sessions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/doors/amqp/endpoint/ids.h"
#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {

// What a client may choose from. SendInit comes next.
struct SaslOffered {
  std::vector<Symbol> mechanisms;
};
// What a client has chosen, of what was offered. SendChallenge or SendOutcome comes next.
struct SaslBegun {
  SaslInit init;
};
// To a client; SendResponse comes next.
struct SaslChallenged {
  std::string challenge;
};
// To a server; SendChallenge or SendOutcome comes next.
struct SaslResponded {
  std::string response;
};
// To a client. With any code but ok the connection is over.
struct SaslFinished {
  SaslOutcome outcome;
};

struct Opened {
  Open open;
};
struct Closed {
  std::optional<Error> error;
  // The peer broke a rule: it has been told, and all that is left is to write that.
  bool is_ours = false;
};

// Of a peer, or its answer to ours.
struct Begun {
  SessionId session;
  Begin begin;
  bool is_answer = false;
};
struct Ended {
  SessionId session;
  std::optional<Error> error;
  bool is_ours = false;
};

struct Attached {
  SessionId session;
  LinkId link;
  Attach attach;
  bool is_answer = false;
};
struct Detached {
  LinkId link;
  // False: the peer may want to come back to it.
  bool closed = true;
  std::optional<Error> error;
  bool is_ours = false;
};

// To who sends: how many deliveries may leave from now on, which may be fewer than before.
struct CreditGiven {
  LinkId link;
  std::uint32_t credit = 0;
  // Send what is there now, then Link::GiveBackCredit, also where there is none.
  bool drain = false;
  // Whether credit is all that the flow was about, e.g. the number of a transaction.
  std::optional<Map> properties;
};
// To who receives: what the sender tells of itself.
struct SenderTold {
  LinkId link;
  std::optional<std::uint32_t> available;
  // The end of a Drain: what was sent before came before.
  bool is_drained = false;
};

// A delivery, or a part of it; the parts of one come in their order, with none of another delivery
// of this link between them.
struct Delivered {
  LinkId link;
  DeliveryId delivery;
  // Of the first part.
  Binary tag;
  std::uint32_t message_format = 0;
  std::optional<DeliveryState> state;
  bool is_first = false;
  bool is_last = false;
  // The sender has settled it: it wants no answer.
  bool is_settled = false;
  // The sender has changed its mind: there was no such delivery.
  bool is_aborted = false;
  // It is larger than the link's max-message-size. From here on its bytes are gone.
  bool is_too_large = false;
  std::string_view payload;
};

struct DeliveryRef {
  LinkId link;
  DeliveryId delivery;

  friend bool operator==(const DeliveryRef&, const DeliveryRef&) = default;
};
// What the peer says of deliveries that we sent (role receiver) or received (role sender).
struct Disposed {
  SessionId session;
  Role role = Role::kReceiver;
  // In their order; those that were not settled before.
  std::vector<DeliveryRef> deliveries;
  // They are forgotten now. If not, Link::Settle is waited for.
  bool is_settled = false;
  std::optional<DeliveryState> state;
};

// What the peer said in a transfer, or of what it received, that reaches nobody: its link, or
// session, had ended, or ends by it. Only where it said a state, which may name a transaction.
struct Missed {
  DeliveryState state;
};

// There is room again after Link::Send has taken less than it was given.
struct MayWrite {};

using Event = std::variant<SaslOffered, SaslBegun, SaslChallenged, SaslResponded, SaslFinished,
                           Opened, Closed, Begun, Ended, Attached, Detached, CreditGiven,
                           SenderTold, Delivered, Disposed, Missed, MayWrite>;

}  // namespace wharf::amqp
