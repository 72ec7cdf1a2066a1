// ServedConnection: what one client may do on its connection, without the socket: bytes in, bytes
// out, and when to come back.
//
//   header, SASL, open   ->  Login            ->  Claims
//   links to `$cbs`      ->  CbsNode          ->  Claims
//   links to entities    ->  Claims, then EntityLinks
//
// It decides who comes in, what a link takes, and when a client has had enough time or bytes;
// what links to entities do is given to it. Made by ClientSocket; on its strand.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/connection/byte_budget.h"
#include "broker/doors/amqp/connection/cbs_node.h"
#include "broker/doors/amqp/connection/claims.h"
#include "broker/doors/amqp/connection/client_ids.h"
#include "broker/doors/amqp/connection/connection_report.h"
#include "broker/doors/amqp/connection/door_counts.h"
#include "broker/doors/amqp/connection/door_errors.h"
#include "broker/doors/amqp/connection/door_limits.h"
#include "broker/doors/amqp/connection/entity_links.h"
#include "broker/doors/amqp/endpoint/connection.h"
#include "broker/doors/common/guard_gate.h"
#include "storage/base/log_limit.h"

namespace wharf::amqp {

// What all connections of a door share; outlives them.
struct DoorWorld {
  const DoorLimits& limits;
  const GuardGate& gate;
  EntityDoor& entities;
  const std::function<Timestamp()>& wall;
  // What the door calls itself: container-id and properties.
  const Open& open;
  // Of what clients do wrong.
  LogLimit& log_limit;
  DoorCounts& counts;
  // Of what clients that are in are told.
  LogLimit& told_limit;
  // Null: JMS is not served.
  ClientIds* client_ids = nullptr;
  // Nothing is done on a link for so long, and it ends (LNK-6); null or zero: never. May change.
  const std::atomic<DoorLimits::Span>* link_idle_max = nullptr;
};

class ServedConnection final : public OpenConnection {
 public:
  using Instant = Connection::Instant;
  struct Client {
    // See PeerText.
    std::string peer;
    // Of the certificate that it has proven itself with; empty: it has none.
    std::string subject;
    // What operators are told of it.
    std::shared_ptr<ConnectionReport> report = std::make_shared<ConnectionReport>();
  };
  ServedConnection(const DoorWorld& world, Client client, Poster poster, Instant now);
  ~ServedConnection() override;

  // While it does not want any, nothing is fed.
  bool wants_input() const {
    return endpoint_.wants_input() && !is_given_up_ && !closing_for_.has_value() &&
           !unanswered_bytes_.is_full();
  }
  void Feed(std::string_view bytes, Instant now);
  // Hears what there is to hear, after anything has happened to the endpoint.
  void Work(Instant now);
  // To be written; not before what was taken before has left, which NoteWritten says.
  std::string TakeOutput(Instant now);
  void NoteWritten(Instant now);
  // When Tick has something to do.
  std::optional<Instant> Deadline() const;
  void Tick(Instant now);
  // Reads no more, waits until the broker has answered what it was asked, for a while; then says
  // why and waits for the client's close, for a while.
  void Close(const Status& reason, Instant now);
  // Nothing more comes; what was said should leave first.
  bool is_over() const { return endpoint_.is_over() || is_given_up_; }

  Connection& endpoint() override { return endpoint_; }
  ByteBudget& partial_bytes() override { return partial_bytes_; }
  ByteBudget& unanswered_bytes() override { return unanswered_bytes_; }
  const std::string& peer() const override { return client_.peer; }
  const Poster& poster() const override { return poster_; }
  const std::string& container_id() const override { return container_id_; }
  Result<access::PermitPtr> Prove(const std::vector<access::Right>& rights,
                                  const std::string& resource) override;
  Instant now() const override { return now_; }
  std::uint64_t outputs_taken() const override { return outputs_taken_; }
  void NoteUseOf(std::string_view link_name) override;
  void NoteAccepted(LinkId link) override;
  void NoteRefused(const ToldError& told) override;
  void NoteError(const ToldError& told) override;

  std::size_t entity_links() const { return links_.size(); }
  std::size_t claims() const { return claims_.size(); }

 private:
  // A link to an entity, and what it rests on.
  struct GuardedLink {
    SessionId session;
    LinkNode node;
    access::PermitPtr permit;
    bool is_accepted = false;
    // Link::uses when it was looked at last, and when they had become so many.
    std::uint64_t uses = 0;
    Instant used_at{};
  };
  using GuardedLinks = std::map<LinkId, GuardedLink>;

  static EndpointOptions OptionsFor(const DoorWorld& world, const Client& client);

  void On(Event& event, Instant now);
  void OnLogin(const SaslBegun& begun);
  void OnOpened(const Opened& opened, Instant now);
  // Of JMS: what it desires and gets. False: somebody has its client id, and it is told so.
  bool AnswerJms(const Open& open, Instant now);
  // False: somebody has it. A stranger only looks, and takes it when it has proven a right.
  bool TakeClientId();
  void RefuseClientId(Instant now);
  bool IsBrokerThere() const;
  void OnClosed(const Closed& closed, Instant now);
  void OnBegun(const Begun& begun);
  void OnEnded(const Ended& ended, Instant now);
  void OnAttached(const Attached& attached, Instant now);
  // What gives the link; of one that sends by way of an entity that must be allowed as well.
  Result<access::PermitPtr> Prove(const LinkNode& node, const TrackingId& tracking_id);
  void AttachToEntity(const Attached& attached, LinkNode node, Instant now);
  void OnDetached(const Detached& detached, Instant now);
  // Of links that are not this connection's own.
  void PassOn(Event& event);

  // Null: there is no broker any more.
  EntityLinks* entities();
  // True: its detach is answered by somebody else.
  bool Forget(GuardedLinks::iterator at, Instant now, bool is_closed = false);
  // Takes links away whose rights are gone.
  void LetLinksGo(Instant now);
  void LookAtLinks(Instant now);
  void LookAtRight(GuardedLinks::iterator at, Instant now);
  // True: it is detached, because nothing was done on it for too long.
  bool EndIfIdle(GuardedLinks::iterator at, Instant now);
  DoorLimits::Span link_idle_max() const;
  void CountFrames();
  void NoteProven();
  // Close, for what a client did or left undone: a line of the log.
  void SendAway(const Status& reason, Instant now);
  void CloseWith(const Error& error, Instant now);
  // Both have closed, or will: nothing else is waited for.
  void WaitForItsEnd(Instant now);
  // Of what Close began, when there is nothing left to wait for.
  void FinishClosing(Instant now);
  ErrorPlace PlaceOf(std::string_view entity, const TrackingId& tracking_id) const;
  // One line of the log for what a client did wrong, or was refused.
  void NoteFault(std::string_view what, const std::optional<Error>& error);

  const DoorWorld& world_;
  const Client client_;
  const Poster poster_;
  Connection endpoint_;
  ByteBudget partial_bytes_;
  ByteBudget unanswered_bytes_;
  Claims claims_;
  CbsNode cbs_;
  GuardedLinks links_;
  std::string container_id_;
  // It is open, and its client id one of those that count.
  bool is_jms_open_ = false;
  bool wants_id_alone_ = false;
  // What was free when it opened was taken by another one before it had proven a right.
  bool has_lost_client_id_ = false;
  // Null: nobody asks, or it has proven nothing.
  std::unique_ptr<ClientIds::Held> client_id_;
  // Behind what it looks at. Null before the first link to an entity.
  std::unique_ptr<EntityLinks> entities_;

  // As told last.
  Instant now_;
  std::uint64_t outputs_taken_ = 0;
  // Of the endpoint's, those that were counted.
  std::uint64_t frames_received_ = 0;
  std::uint64_t frames_sent_ = 0;
  // Else what it said to SASL does, when it attaches.
  bool proves_by_claims_ = true;
  bool is_turned_away_ = false;
  bool is_proven_ = false;
  std::uint64_t accepted_links_ = 0;
  bool is_closing_ = false;
  // What it will close for, when the broker has answered.
  std::optional<Error> closing_for_;
  // It did not close in time.
  bool is_given_up_ = false;
  std::size_t unproven_bytes_ = 0;
  std::size_t unproven_sessions_ = 0;

  // Absent: not waited for (any more, or yet).
  std::optional<Instant> open_by_;
  std::optional<Instant> prove_by_;
  std::optional<Instant> link_by_;
  std::optional<Instant> look_at_;
  std::optional<Instant> answered_by_;
  std::optional<Instant> close_by_;
};

}  // namespace wharf::amqp
