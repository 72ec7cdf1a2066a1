#include "broker/doors/amqp/endpoint/connection.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

Connection::Connection(EndpointOptions options, Instant now)
    : shared_(std::move(options)),
      sasl_(shared_),
      stage_(shared_.options.has_sasl ? Stage::kSaslHeader : Stage::kHeader),
      heard_at_(now),
      said_at_(now) {
  if (shared_.options.side == Side::kAccepts) return;
  SayHeader(shared_.options.has_sasl ? Protocol::kSasl : Protocol::kAmqp);
}

Connection::~Connection() = default;

void Connection::SayHeader(Protocol protocol) {
  shared_.out.WriteRaw(HeaderOf(protocol));
  if (protocol != Protocol::kAmqp) return;
  may_speak_ = true;
  if (open_sent_) shared_.out.Write(0, shared_.options.open);
}

void Connection::Feed(std::string_view bytes, Instant now) {
  heard_at_ = now;
  if (!is_over()) input_.Feed(bytes);
}

std::optional<Event> Connection::Next() {
  while (shared_.events.empty()) {
    Sweep();
    if (shared_.out.has_refused() && !close_sent_) {
      Fail(ErrorOf(amqp_error::kFrameSizeTooSmall, "what is to be said fits no frame of yours"));
      continue;
    }
    if (!wants_input() || !ReadOne()) return std::nullopt;
  }
  Event event = std::move(shared_.events.front());
  shared_.events.pop_front();
  return event;
}

bool Connection::ReadOne() {
  switch (stage_) {
    case Stage::kSaslHeader:
    case Stage::kHeader:
      return ReadHeader();
    case Stage::kSasl:
      return ReadSasl();
    case Stage::kAmqp:
      return ReadFrame();
  }
  return false;
}

bool Connection::ReadHeader() {
  Protocol due = stage_ == Stage::kSaslHeader ? Protocol::kSasl : Protocol::kAmqp;
  const std::string_view bytes = input_.rest().substr(0, kHeaderBytes);
  const bool is_whole = bytes.size() == kHeaderBytes;
  if (is_whole && shared_.options.may_skip_sasl && ProtocolOf(bytes) == Protocol::kAmqp) {
    due = Protocol::kAmqp;
  }
  if (!MayBeHeader(bytes) || (is_whole && ProtocolOf(bytes) != due)) {
    // Whoever accepts says what it would understand.
    if (shared_.options.side == Side::kAccepts) SayHeader(due);
    GiveUp(connection_error::kFramingError, "another protocol than AMQP 1.0");
    return true;
  }
  if (!is_whole) return false;
  input_.Consume(kHeaderBytes);
  if (shared_.options.side == Side::kAccepts) SayHeader(due);
  if (due == Protocol::kSasl) {
    stage_ = Stage::kSasl;
    sasl_.Begin();
  } else {
    stage_ = Stage::kAmqp;
  }
  return true;
}

bool Connection::ReadSasl() {
  // An outcome that was sent since: what comes next is another header, or nothing.
  if (sasl_.has_outcome()) {
    if (!sasl_.is_good()) {
      GiveUp(amqp_error::kUnauthorizedAccess, "SASL ended without success");
      return true;
    }
    stage_ = Stage::kHeader;
    return true;
  }
  const std::optional<Frame> frame = input_.Next(shared_.options.limits.sasl_frame_bytes_max);
  std::string error = input_.error();
  if (!frame.has_value() && error.empty()) return false;
  if (frame.has_value()) {
    error = frame->type == kSaslFrame ? sasl_.OnFrame(frame->body) : "a frame that is none of SASL";
  }
  if (!error.empty()) GiveUp(connection_error::kFramingError, std::move(error));
  const bool begins = sasl_.has_outcome() && sasl_.is_good();
  if (begins && shared_.options.side == Side::kDials) SayHeader(Protocol::kAmqp);
  return true;
}

bool Connection::ReadFrame() {
  const std::optional<Frame> frame = input_.Next(shared_.options.open.max_frame_size);
  if (frame.has_value()) {
    OnFrame(*frame);
    return true;
  }
  if (input_.error().empty()) return false;
  // Who has heard our close, and goes on with what is no frame, will not close any more.
  if (close_sent_) GiveUp(connection_error::kFramingError, input_.error());
  Fail(ErrorOf(connection_error::kFramingError, input_.error()));
  return true;
}

void Connection::OnFrame(const Frame& frame) {
  if (frame.type != kAmqpFrame) {
    return Fail(ErrorOf(connection_error::kFramingError, "a frame that is none of AMQP"));
  }
  // A sign of life.
  if (frame.body.empty()) return;
  Reader reader(frame.body, shared_.options.limits.decode);
  Performative body;
  Read(reader, body);
  const bool may_go_on = std::holds_alternative<Transfer>(body);
  if (reader.ok() && !reader.at_end() && !may_go_on) reader.Fail("bytes behind a performative");
  MaybeFault fault =
      reader.ok() ? OnBody(frame.channel, body, reader.rest()) : DecodeFault(frame, reader.error());
  if (fault.has_value()) Handle(OnChannel(frame.channel), std::move(*fault));
}

// What belongs to a session costs no more than that.
MaybeFault Connection::DecodeFault(const Frame& frame, const std::string& error) {
  if (close_sent_) return std::nullopt;
  Reader reader(frame.body);
  reader.EnterDescribed();
  const std::uint64_t code = ReadDescriptor(reader);
  const bool is_of_session = reader.ok() && code >= Attach::kDescriptor && code <= End::kDescriptor;
  Session* const session = is_of_session ? OnChannel(frame.channel) : nullptr;
  if (session == nullptr) return ConnectionFault(amqp_error::kDecodeError, error);
  if (session->is_deaf()) return std::nullopt;
  return SessionFault(amqp_error::kDecodeError, error);
}

MaybeFault Connection::OnBody(std::uint16_t channel, Performative& body, std::string_view payload) {
  if (auto* const close = std::get_if<Close>(&body)) {
    OnClose(*close);
    return std::nullopt;
  }
  if (close_sent_ || close_received_) return std::nullopt;
  if (auto* const open = std::get_if<Open>(&body)) return OnOpen(*open);
  if (!open_received_) {
    return ConnectionFault(amqp_error::kIllegalState, "something else before open");
  }
  if (channel > shared_.options.open.channel_max) {
    return ConnectionFault(
        connection_error::kFramingError,
        fmt::format("channel {} is beyond {}", channel, shared_.options.open.channel_max));
  }
  if (auto* const begin = std::get_if<Begin>(&body)) return OnBegin(channel, *begin);
  Session* const session = OnChannel(channel);
  if (session == nullptr) {
    return ConnectionFault(amqp_error::kIllegalState,
                           fmt::format("no session has begun on channel {}", channel));
  }
  return OnSession(*session, body, payload);
}

MaybeFault Connection::OnSession(Session& session, Performative& body, std::string_view payload) {
  if (auto* const end = std::get_if<End>(&body)) {
    incoming_channels_.erase(*session.remote_channel_);
    session.OnEnd(*end);
    return std::nullopt;
  }
  if (session.is_deaf()) {
    session.Miss(body);
    return std::nullopt;
  }
  if (auto* const transfer = std::get_if<Transfer>(&body))
    return session.OnTransfer(*transfer, payload);
  if (auto* const disposition = std::get_if<Disposition>(&body)) {
    return session.OnDisposition(std::move(*disposition));
  }
  if (auto* const flow = std::get_if<Flow>(&body)) return session.OnFlow(std::move(*flow));
  if (auto* const attach = std::get_if<Attach>(&body)) return session.OnAttach(std::move(*attach));
  return session.OnDetach(std::get<Detach>(body));
}

MaybeFault Connection::OnOpen(const Open& open) {
  if (open_received_) return ConnectionFault(amqp_error::kIllegalState, "a second open");
  if (open.max_frame_size < FrameWriter::kFrameBytesMin) {
    return ConnectionFault(amqp_error::kInvalidField, "open.max-frame-size: less than 512");
  }
  open_received_ = true;
  shared_.out.set_frame_bytes_max(open.max_frame_size);
  remote_channel_max_ = open.channel_max;
  remote_idle_time_out_ = std::chrono::milliseconds(open.idle_time_out.value_or(0));
  shared_.Tell(Opened{open});
  return std::nullopt;
}

MaybeFault Connection::OnBegin(std::uint16_t channel, const Begin& begin) {
  if (OnChannel(channel) != nullptr) {
    return ConnectionFault(amqp_error::kIllegalState,
                           fmt::format("channel {} has a session already", channel));
  }
  Session* session = nullptr;
  if (begin.remote_channel.has_value()) {
    const auto found = outgoing_channels_.find(*begin.remote_channel);
    if (found != outgoing_channels_.end() && !found->second->begin_received_)
      session = found->second;
    if (session == nullptr) {
      return ConnectionFault(
          amqp_error::kInvalidField,
          fmt::format("begin.remote-channel: nobody has begun {}", *begin.remote_channel));
    }
  } else {
    session = NewSession();
  }
  if (session == nullptr) {
    return ConnectionFault(amqp_error::kResourceLimitExceeded, "more sessions than there may be");
  }
  session->remote_channel_ = channel;
  incoming_channels_.emplace(channel, session);
  session->OnBegin(begin);
  return std::nullopt;
}

void Connection::OnClose(const Close& close) {
  close_received_ = true;
  TellClose(close.error, false);
}

void Connection::TellClose(std::optional<Error> error, bool is_ours) {
  if (std::exchange(close_told_, true)) return;
  shared_.Tell(Closed{.error = std::move(error), .is_ours = is_ours});
}

void Connection::GiveUp(std::string_view condition, std::string why) {
  is_over_ = true;
  TellClose(ErrorOf(condition, std::move(why)), true);
}

void Connection::Handle(Session* session, Fault fault) {
  if (fault.scope == Scope::kConnection || session == nullptr) return Fail(std::move(fault.error));
  session->Fail(std::move(fault.error));
}

void Connection::Fail(Error error) {
  if (close_sent_) return;
  SendClose(error);
  TellClose(std::move(error), true);
}

void Connection::SendOpen() {
  if (std::exchange(open_sent_, true)) return;
  Open& open = shared_.options.open;
  if (!open.properties.has_value()) open.properties.emplace();
  if (may_speak_) shared_.out.Write(0, open);
}

void Connection::SendClose(std::optional<Error> error) {
  if (close_sent_ || is_over_) return;
  if (!may_speak_) {
    is_over_ = true;
    return;
  }
  SendOpen();
  for (const auto& [id, session] : sessions_) session->Talk();
  Close close;
  close.error = std::move(error);
  close_sent_ = true;
  shared_.out.Write(0, close);
  shared_.out.Shut();
}

Session* Connection::OnChannel(std::uint16_t channel) const {
  const auto found = incoming_channels_.find(channel);
  return found == incoming_channels_.end() ? nullptr : found->second;
}

Session* Connection::NewSession() {
  const std::uint32_t channels =
      std::uint32_t{std::min(remote_channel_max_, shared_.options.open.channel_max)} + 1;
  std::uint32_t channel = 0;
  while (channel < channels && outgoing_channels_.contains(static_cast<std::uint16_t>(channel)))
    ++channel;
  if (channel == channels) return nullptr;
  const SessionId id(++shared_.last_id);
  auto session = std::make_unique<Session>(id, shared_, static_cast<std::uint16_t>(channel));
  Session* const made = session.get();
  outgoing_channels_.emplace(static_cast<std::uint16_t>(channel), made);
  sessions_.emplace(id, std::move(session));
  return made;
}

Session* Connection::OpenSession(Begin begin) {
  if (!open_received_ || close_sent_ || close_received_) return nullptr;
  SendOpen();
  Session* const session = NewSession();
  if (session != nullptr) session->SendBegin(std::move(begin));
  return session;
}

Session* Connection::FindSession(SessionId id) {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.get();
}

Link* Connection::FindLink(LinkId id) {
  const auto found = shared_.links.find(id);
  return found == shared_.links.end() ? nullptr : found->second;
}

void Connection::Sweep() {
  for (const SessionId id : std::exchange(shared_.swept, {})) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) continue;
    Session& session = *found->second;
    session.Sweep();
    if (!session.is_over()) continue;
    outgoing_channels_.erase(session.channel_);
    sessions_.erase(found);
  }
}

std::string Connection::TakeOutput(Instant now) {
  for (Session* const session : std::exchange(shared_.talkative, {})) session->Talk();
  const bool was_full = !shared_.has_output_room();
  std::string bytes = shared_.out.Take();
  if (!bytes.empty()) said_at_ = now;
  if (was_full) shared_.Unblock();
  return bytes;
}

// What waits to be written is a sign of life, too.
bool Connection::MustBeat() const {
  const bool may_speak = may_speak_ && open_sent_ && !close_sent_;
  return may_speak && remote_idle_time_out_.count() > 0 && shared_.out.size() == 0;
}

std::optional<Connection::Instant> Connection::Deadline() const {
  std::optional<Instant> deadline;
  if (is_over()) return deadline;
  const std::chrono::milliseconds own(shared_.options.open.idle_time_out.value_or(0));
  if (own.count() > 0) deadline = heard_at_ + 2 * own;
  if (MustBeat()) {
    const Instant silent = said_at_ + remote_idle_time_out_ / 2;
    deadline = std::min(deadline.value_or(silent), silent);
  }
  return deadline;
}

void Connection::Tick(Instant now) {
  if (is_over()) return;
  const std::chrono::milliseconds own(shared_.options.open.idle_time_out.value_or(0));
  if (own.count() > 0 && now >= heard_at_ + 2 * own) {
    if (close_sent_) is_over_ = true;
    Fail(
        ErrorOf(amqp_error::kResourceLimitExceeded, "silent for longer than idle-time-out allows"));
    heard_at_ = now;
  }
  if (MustBeat() && now >= said_at_ + remote_idle_time_out_ / 2) shared_.out.WriteEmpty();
}

std::size_t Connection::unsettled() const {
  std::size_t count = 0;
  for (const auto& [id, session] : sessions_) {
    count += session->incoming_unsettled_.size() + session->outgoing_unsettled_.size();
  }
  return count;
}

}  // namespace wharf::amqp
