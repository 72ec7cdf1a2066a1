#include "broker/doors/amqp/endpoint/session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace wharf::amqp {

namespace {

// A receiver names links to a sender, and the other way around.
Role Opposite(Role role) { return role == Role::kSender ? Role::kReceiver : Role::kSender; }

}  // namespace

Session::Session(SessionId id, Shared& shared, std::uint16_t channel)
    : id_(id),
      shared_(shared),
      channel_(channel),
      next_outgoing_id_(shared.options.first_number),
      next_outgoing_delivery_(FirstNumber(shared.options.first_number)),
      ended_(shared.options.limits.unsettled_max) {}

Session::~Session() {
  for (const auto& link : links_by_handle_) {
    if (link != nullptr) shared_.links.erase(link->id());
  }
  Sweep();
  std::erase(shared_.talkative, this);
}

void Session::SendBegin(Begin begin) {
  if (begin_sent_) return;
  incoming_window_ = shared_.options.limits.incoming_window;
  handle_max_ = begin.handle_max;
  begin.remote_channel = remote_channel_;
  begin.next_outgoing_id = next_outgoing_id_;
  begin.incoming_window = incoming_window_;
  begin.outgoing_window = shared_.options.limits.incoming_window;
  if (!begin.properties.has_value()) begin.properties.emplace();
  begin_sent_ = true;
  shared_.out.Write(channel_, begin);
}

void Session::SendEnd(std::optional<Error> error) {
  if (end_sent_) return;
  SendBegin();
  Talk();
  End end;
  end.error = std::move(error);
  end_sent_ = true;
  shared_.out.Write(channel_, end);
  shared_.swept.insert(id_);
}

void Session::OnBegin(const Begin& begin) {
  begin_received_ = true;
  next_incoming_id_ = begin.next_outgoing_id;
  remote_incoming_window_ = begin.incoming_window;
  remote_handle_max_ = begin.handle_max;
  const bool is_answer = begin_sent_;
  shared_.Tell(Begun{.session = id_, .begin = begin, .is_answer = is_answer});
  if (is_answer) shared_.Unblock();
}

void Session::OnEnd(const End& end) {
  end_received_ = true;
  shared_.swept.insert(id_);
  TellEnd(end.error, false);
}

void Session::TellEnd(std::optional<Error> error, bool is_ours) {
  if (std::exchange(end_told_, true)) return;
  shared_.Tell(Ended{.session = id_, .error = std::move(error), .is_ours = is_ours});
}

void Session::Fail(Error error) {
  SendEnd(error);
  TellEnd(std::move(error), true);
}

// --- links

Link* Session::ByHandle(std::uint32_t remote_handle) const {
  const auto found = links_by_remote_handle_.find(remote_handle);
  return found == links_by_remote_handle_.end() ? nullptr : found->second;
}

// Of those that are attached, or still wait for the peer's half.
Link* Session::Named(std::string_view name, Role role) const {
  for (const auto& link : links_by_handle_) {
    if (link == nullptr || link->role_ != role || link->name_ != name) continue;
    const bool is_there = !link->detach_sent_ || !link->attach_received_;
    if (is_there && !link->detach_received_) return link.get();
  }
  return nullptr;
}

Link* Session::NewLink(std::string name, Role role) {
  if (shared_.links.size() >= shared_.options.limits.links_max) return nullptr;
  auto free = std::find(links_by_handle_.begin(), links_by_handle_.end(), nullptr);
  if (free == links_by_handle_.end()) {
    if (links_by_handle_.size() > remote_handle_max_) return nullptr;
    free = links_by_handle_.insert(free, nullptr);
  }
  const auto handle = static_cast<std::uint32_t>(free - links_by_handle_.begin());
  const LinkId id(++shared_.last_id);
  *free = std::make_unique<Link>(id, *this, role, std::move(name), handle);
  shared_.links.emplace(id, free->get());
  return free->get();
}

Link* Session::OpenLink(Attach attach) {
  if (end_sent_ || end_received_ || !begin_received_) return nullptr;
  Link* const link = NewLink(attach.name, attach.role);
  if (link != nullptr) link->SendAttach(std::move(attach));
  return link;
}

MaybeFault Session::HandleIsFree(const Attach& attach) const {
  if (attach.handle > handle_max_) {
    return ConnectionFault(connection_error::kFramingError,
                           fmt::format("handle {} is beyond {}", attach.handle, handle_max_));
  }
  if (ByHandle(attach.handle) != nullptr) {
    return SessionFault(session_error::kHandleInUse,
                        fmt::format("handle {} is in use", attach.handle));
  }
  if (attach.name.size() > shared_.options.limits.link_name_bytes_max) {
    return SessionFault(amqp_error::kInvalidField, "attach.name: too long");
  }
  return std::nullopt;
}

MaybeFault Session::OnAttach(Attach attach) {
  if (MaybeFault fault = HandleIsFree(attach)) return fault;
  const Role role = Opposite(attach.role);
  Link* link = Named(attach.name, role);
  const bool is_answer = link != nullptr && !link->attach_received_;
  if (!is_answer) {
    if (link != nullptr) FailLink(*link, ErrorOf(link_error::kStolen, "attached once more"));
    link = NewLink(attach.name, role);
  }
  if (link == nullptr) {
    return SessionFault(amqp_error::kResourceLimitExceeded, "more links than there may be");
  }
  links_by_remote_handle_.emplace(attach.handle, link);
  const MaybeFault fault = link->OnAttach(attach);
  // We may have changed our mind before the answer came.
  if (link->detach_sent_) return std::nullopt;
  if (!fault.has_value()) {
    shared_.Tell(Attached{
        .session = id_, .link = link->id(), .attach = std::move(attach), .is_answer = is_answer});
    return std::nullopt;
  }
  // Of one that is not ours its end is all that is heard.
  FailLink(*link, fault->error);
  return std::nullopt;
}

MaybeFault Session::OnDetach(const Detach& detach) {
  Link* const link = ByHandle(detach.handle);
  if (link == nullptr) {
    return SessionFault(session_error::kUnattachedHandle,
                        fmt::format("a detach of handle {}, which is not attached", detach.handle));
  }
  links_by_remote_handle_.erase(detach.handle);
  link->detach_received_ = true;
  if (!std::exchange(link->end_told_, true)) {
    shared_.Tell(Detached{.link = link->id(), .closed = detach.closed, .error = detach.error});
  }
  Forget(*link);
  return std::nullopt;
}

void Session::FailLink(Link& link, Error error) {
  link.SendDetach(true, error);
  if (std::exchange(link.end_told_, true)) return;
  shared_.Tell(
      Detached{.link = link.id(), .closed = true, .error = std::move(error), .is_ours = true});
}

// A handle of ours is free for another link when both have detached; the link itself stays until
// nobody can hold it.
void Session::Forget(Link& link) {
  ended_.Add(outgoing_unsettled_.RemoveLink(link.id()));
  shared_.Unblock();
  incoming_unsettled_.RemoveLink(link.id());
  if (!link.detach_sent_ || !link.detach_received_) return;
  std::unique_ptr<Link>& place = links_by_handle_[link.handle_];
  if (place.get() != &link) return;
  links_over_.push_back(std::move(place));
  shared_.swept.insert(id_);
}

void Session::Sweep() {
  for (const auto& link : links_over_) shared_.links.erase(link->id());
  links_over_.clear();
}

// --- what goes over them

MaybeFault Session::OnFlow(Flow flow) {
  const std::uint32_t seen = flow.next_incoming_id.value_or(shared_.options.first_number);
  remote_incoming_window_ = static_cast<std::uint32_t>(
      std::max(0, SerialDistance(seen + flow.incoming_window, next_outgoing_id_)));
  if (remote_incoming_window_ > 0) shared_.Unblock();
  if (!flow.handle.has_value()) {
    wants_flow_ |= flow.echo;
    if (flow.echo) WantTalk();
    return std::nullopt;
  }
  Link* const link = ByHandle(*flow.handle);
  if (link == nullptr) {
    return SessionFault(session_error::kUnattachedHandle,
                        fmt::format("a flow of handle {}, which is not attached", *flow.handle));
  }
  if (!link->detach_sent_) link->OnFlow(std::move(flow));
  return std::nullopt;
}

MaybeFault Session::OnTransfer(const Transfer& transfer, std::string_view payload) {
  MaybeFault fault = TakeTransfer(transfer, payload);
  if (fault.has_value()) Miss(transfer.state);
  return fault;
}

MaybeFault Session::TakeTransfer(const Transfer& transfer, std::string_view payload) {
  if (incoming_window_ == 0) {
    return SessionFault(session_error::kWindowViolation, "a transfer beyond the window");
  }
  --incoming_window_;
  ++next_incoming_id_;
  if (incoming_window_ <= shared_.options.limits.incoming_window / 2) {
    wants_flow_ = true;
    WantTalk();
  }
  Link* const link = ByHandle(transfer.handle);
  if (link == nullptr) {
    return SessionFault(
        session_error::kUnattachedHandle,
        fmt::format("a transfer of handle {}, which is not attached", transfer.handle));
  }
  if (link->detach_sent_) {
    Discard(transfer);
    return std::nullopt;
  }
  MaybeFault fault = link->OnTransfer(transfer, payload);
  if (!fault.has_value() || fault->scope != Scope::kLink) return fault;
  Discard(transfer);
  FailLink(*link, std::move(fault->error));
  return std::nullopt;
}

void Session::Miss(const Performative& body) {
  if (const auto* const transfer = std::get_if<Transfer>(&body)) Miss(transfer->state);
  const auto* const disposition = std::get_if<Disposition>(&body);
  if (disposition != nullptr && disposition->role == Role::kReceiver) Miss(disposition->state);
}

void Session::Miss(const std::optional<DeliveryState>& state) {
  if (state.has_value()) shared_.Tell(Missed{*state});
}

void Session::Discard(const Transfer& transfer) {
  Miss(transfer.state);
  if (!transfer.delivery_id.has_value()) return;
  if (!next_incoming_delivery_)
    next_incoming_delivery_ = DeliveryId(FirstNumber(*transfer.delivery_id));
  const auto next = static_cast<std::uint32_t>(next_incoming_delivery_->value());
  if (*transfer.delivery_id == next) next_incoming_delivery_ = next_incoming_delivery_->Next();
}

MaybeFault Session::NumberDelivery(std::uint32_t wire, DeliveryId& out) {
  out = next_incoming_delivery_.value_or(DeliveryId(FirstNumber(wire)));
  const auto due = static_cast<std::uint32_t>(out.value());
  if (wire != due) {
    return SessionFault(amqp_error::kInvalidField,
                        fmt::format("transfer.delivery-id: {} where {} is due", wire, due));
  }
  next_incoming_delivery_ = out.Next();
  return std::nullopt;
}

MaybeFault Session::OnDisposition(Disposition disposition) {
  const std::uint32_t last = disposition.last.value_or(disposition.first);
  if (SerialLess(last, disposition.first)) {
    if (disposition.role == Role::kReceiver) Miss(disposition.state);
    return SessionFault(
        amqp_error::kInvalidField,
        fmt::format("disposition.last: {} comes before {}", last, disposition.first));
  }
  const bool is_outgoing = disposition.role == Role::kReceiver;
  Unsettled& unsettled = is_outgoing ? outgoing_unsettled_ : incoming_unsettled_;
  const DeliveryId next = is_outgoing
                              ? next_outgoing_delivery_
                              : next_incoming_delivery_.value_or(DeliveryId(FirstNumber(last)));
  const DeliveryId from(NumberNear(next.value(), disposition.first));
  const DeliveryId to(NumberNear(next.value(), last));
  if (is_outgoing && ended_.Find(from, to, disposition.settled)) Miss(disposition.state);
  Disposed disposed{.session = id_,
                    .role = disposition.role,
                    .deliveries = unsettled.Range(from, to, disposition.settled),
                    .is_settled = disposition.settled,
                    .state = std::move(disposition.state)};
  if (disposed.deliveries.empty()) return std::nullopt;
  for (const DeliveryRef& each : disposed.deliveries) {
    if (const auto link = shared_.links.find(each.link); link != shared_.links.end()) {
      link->second->NoteUse();
    }
  }
  shared_.Tell(std::move(disposed));
  // One that was full of them may send again.
  if (is_outgoing && disposition.settled) shared_.Unblock();
  return std::nullopt;
}

bool Session::MayTransfer() {
  const bool may = remote_incoming_window_ > 0 && shared_.has_output_room() && !end_sent_;
  shared_.is_blocked |= !may;
  return may;
}

void Session::OnTransferSent() {
  ++next_outgoing_id_;
  --remote_incoming_window_;
}

void Session::WantTalk() {
  if (!std::exchange(wants_talk_, true)) shared_.talkative.push_back(this);
}

void Session::Talk() {
  wants_talk_ = false;
  if (end_sent_ || !begin_sent_) return;
  dispositions_.Flush(channel_, shared_.out);
  for (const LinkId id : std::exchange(flowing_, {})) {
    const auto found = shared_.links.find(id);
    if (found == shared_.links.end()) continue;
    Link& link = *found->second;
    link.wants_flow_ = false;
    if (link.attach_sent_ && !link.detach_sent_) WriteFlow(&link);
  }
  if (wants_flow_) WriteFlow(nullptr);
}

// Every flow tells the window, which is then whole again.
void Session::WriteFlow(Link* link) {
  wants_flow_ = false;
  incoming_window_ = shared_.options.limits.incoming_window;
  Flow flow;
  if (begin_received_) flow.next_incoming_id = next_incoming_id_;
  flow.incoming_window = incoming_window_;
  flow.next_outgoing_id = next_outgoing_id_;
  flow.outgoing_window = incoming_window_;
  if (link != nullptr) link->FillFlow(flow);
  shared_.out.Write(channel_, flow);
}

}  // namespace wharf::amqp
