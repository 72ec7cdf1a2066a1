// Session: an order of transfers in both directions, with windows; its links; and what of their
// deliveries is unsettled.
//
// Found by Connection::FindSession, and there until the next Connection::Next after both ends have
// ended it. One that the peer began is answered by SendBegin; Ended is answered by SendEnd.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/endpoint/disposition_queue.h"
#include "broker/doors/amqp/endpoint/ended_deliveries.h"
#include "broker/doors/amqp/endpoint/fault.h"
#include "broker/doors/amqp/endpoint/link.h"
#include "broker/doors/amqp/endpoint/shared.h"
#include "broker/doors/amqp/endpoint/unsettled.h"

namespace wharf::amqp {

class Session {
 public:
  Session(SessionId id, Shared& shared, std::uint16_t channel);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  SessionId id() const { return id_; }

  // Windows, numbers and channel are the endpoint's; handle-max is what a peer is held to.
  void SendBegin(Begin begin = {});
  void SendEnd(std::optional<Error> error = std::nullopt);
  // A link of ours; name, role and termini are the caller's. Null if the peer or we allow no more.
  Link* OpenLink(Attach attach);

 private:
  friend class Link;
  friend class Connection;

  // What a peer says on its channel.
  void OnBegin(const Begin& begin);
  void OnEnd(const End& end);
  MaybeFault OnAttach(Attach attach);
  MaybeFault OnFlow(Flow flow);
  MaybeFault OnTransfer(const Transfer& transfer, std::string_view payload);
  MaybeFault OnDisposition(Disposition disposition);
  MaybeFault OnDetach(const Detach& detach);

  MaybeFault HandleIsFree(const Attach& attach) const;
  // Of the peer's handle.
  Link* ByHandle(std::uint32_t remote_handle) const;
  Link* Named(std::string_view name, Role role) const;
  Link* NewLink(std::string name, Role role);
  MaybeFault NumberDelivery(std::uint32_t wire, DeliveryId& out);

  // Ends what has broken a rule.
  void Fail(Error error);
  void FailLink(Link& link, Error error);
  // What is left of it: nothing that anybody would settle.
  void Forget(Link& link);
  void TellEnd(std::optional<Error> error, bool is_ours);
  // Whether the peer is done with it, or will be: what it says is not listened to.
  bool is_deaf() const { return end_sent_; }
  bool is_over() const { return end_sent_ && end_received_; }
  // If not, MayWrite is owed.
  bool MayTransfer();
  void OnTransferSent();

  // Before the output is taken: dispositions, flows, a window that is half used.
  void Talk();
  void WantTalk();
  void WriteFlow(Link* link);
  // Links that are over.
  void Sweep();
  MaybeFault TakeTransfer(const Transfer& transfer, std::string_view payload);
  // One that is gone anyway.
  void Discard(const Transfer& transfer);
  // Of what comes when nobody listens any more.
  void Miss(const Performative& body);
  void Miss(const std::optional<DeliveryState>& state);

  // Constant.
  const SessionId id_;
  Shared& shared_;
  const std::uint16_t channel_;

  std::optional<std::uint16_t> remote_channel_;
  bool begin_sent_ = false;
  bool begin_received_ = false;
  bool end_sent_ = false;
  bool end_received_ = false;
  bool end_told_ = false;
  bool wants_talk_ = false;
  bool wants_flow_ = false;
  std::uint32_t handle_max_ = 0;
  std::uint32_t remote_handle_max_ = 0;

  std::uint32_t next_incoming_id_ = 0;
  std::uint32_t incoming_window_ = 0;
  std::uint32_t next_outgoing_id_;
  std::uint32_t remote_incoming_window_ = 0;

  DeliveryId next_outgoing_delivery_;
  // Known from the first one on.
  std::optional<DeliveryId> next_incoming_delivery_;
  Unsettled outgoing_unsettled_;
  Unsettled incoming_unsettled_;
  // Of those that we sent.
  EndedDeliveries ended_;
  DispositionQueue dispositions_;

  // Links with a flow to say.
  std::vector<LinkId> flowing_;
  // By our handle; null where one is free.
  std::vector<std::unique_ptr<Link>> links_by_handle_;
  absl::flat_hash_map<std::uint32_t, Link*> links_by_remote_handle_;
  std::vector<std::unique_ptr<Link>> links_over_;
};

}  // namespace wharf::amqp
