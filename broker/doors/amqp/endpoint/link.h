// Link: one direction of messages on a session, from its attach to its detach.
//
// Found by Connection::FindLink, and there until the next Connection::Next after both ends have
// detached. A link that the peer began is answered by SendAttach or Refuse; Detached is answered by
// SendDetach. Whoever holds the connection uses it, on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/doors/amqp/endpoint/credit.h"
#include "broker/doors/amqp/endpoint/fault.h"
#include "broker/doors/amqp/endpoint/ids.h"
#include "broker/doors/amqp/endpoint/shared.h"

namespace wharf::amqp {

struct OutgoingDelivery {
  Binary tag;
  std::uint32_t message_format = 0;
  // No answer is wanted.
  bool is_settled = false;
  std::optional<DeliveryState> state = std::nullopt;
};

struct SendResult {
  // Of the payload. What is left is sent by further calls, after MayWrite or CreditGiven.
  std::size_t taken = 0;
  // Nothing has begun: no credit, no window, no room, or too many unsettled.
  bool has_begun = false;
  bool is_done = false;
  DeliveryId delivery{};
};

class Link {
 public:
  Link(LinkId id, Session& session, Role role, std::string name, std::uint32_t handle);

  LinkId id() const { return id_; }
  // Ours.
  Role role() const { return role_; }
  const std::string& name() const { return name_; }
  Session& session() const { return session_; }
  // What may still be sent, or what was given and is not used.
  std::uint32_t credit() const {
    return role_ == Role::kSender ? sender_credit_.credit() : receiver_credit_.credit();
  }
  bool is_attached() const;
  // Grows with all that the ends do on it, and with what is noted to be done for it elsewhere.
  std::uint64_t uses() const { return uses_; }
  void NoteUse() { ++uses_; }

  // Name, handle, role and count are the endpoint's.
  void SendAttach(Attach attach);
  // An attach without source and target, and behind it the reason.
  void Refuse(Error error);
  void SendDetach(bool closed = true, std::optional<Error> error = std::nullopt);

  // To send: what is sent in parts is one delivery until one of them is the last.
  SendResult Send(const OutgoingDelivery& delivery, Payload payload, bool is_last = true);
  // The delivery whose last part is not sent; false if there is no room, and MayWrite comes.
  bool Abort();
  // After CreditGiven with drain, when there is nothing left to send.
  void GiveBackCredit();

  // To receive: so many more deliveries, whatever was said before; it ends a drain. Where a sender
  // has given credit back meanwhile, less is left of it than was said: SenderTold, and credit().
  void SetCredit(std::uint32_t credit);
  // Ends with SenderTold; the sender may have nothing to send for the credit.
  void Drain(std::uint32_t credit);

  // The outcome, or an answer to one; false if nobody knows the delivery (any more). One that is
  // not settled by it is waited for in a Disposed.
  bool Settle(DeliveryId delivery, std::optional<DeliveryState> state, bool is_settled = true);

 private:
  friend class Session;

  // Of the delivery that comes in parts.
  struct Incoming {
    DeliveryId delivery;
    Binary tag;
    std::uint32_t message_format = 0;
    bool is_settled = false;
    std::uint64_t bytes = 0;
  };

  MaybeFault OnAttach(const Attach& attach);
  void OnFlow(Flow flow);
  MaybeFault OnTransfer(const Transfer& transfer, std::string_view payload);
  MaybeFault BeginIncoming(const Transfer& transfer);
  MaybeFault ContinueIncoming(const Transfer& transfer) const;
  Delivered PartOf(const Transfer& transfer, bool is_first, std::string_view payload);
  bool BeginOutgoing(const OutgoingDelivery& delivery);
  Transfer HeadOf(const OutgoingDelivery& delivery, bool is_first) const;
  void FillFlow(Flow& flow) const;
  void WantFlow();

  // Constant.
  const LinkId id_;
  Session& session_;
  const Role role_;
  const std::string name_;
  const std::uint32_t handle_;

  std::optional<std::uint32_t> remote_handle_;
  bool attach_sent_ = false;
  bool attach_received_ = false;
  bool detach_sent_ = false;
  bool detach_received_ = false;
  // Its Detached.
  bool end_told_ = false;
  bool wants_flow_ = false;
  std::uint64_t uses_ = 0;

  SenderCredit sender_credit_;
  std::optional<DeliveryId> outgoing_;

  ReceiverCredit receiver_credit_;
  std::uint64_t message_bytes_max_ = 0;
  std::optional<Incoming> incoming_;
};

}  // namespace wharf::amqp
