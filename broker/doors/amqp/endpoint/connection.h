// Connection: one end of an AMQP 1.0 connection, without the socket: bytes in, events out; what the
// caller says, bytes out. Accepts or dials.
//
//   Feed(bytes)  ->  Next() until there is none  ->  answers and requests  ->  TakeOutput()
//
// Pulled, not called back: while a caller walks over something, nothing changes under it. While
// wants_input is false, because much waits to be written, nothing is fed. Time comes in with each
// call that can need it. One owner, on one thread (strand) at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "broker/doors/amqp/endpoint/events.h"
#include "broker/doors/amqp/endpoint/fault.h"
#include "broker/doors/amqp/endpoint/frame_reader.h"
#include "broker/doors/amqp/endpoint/link.h"
#include "broker/doors/amqp/endpoint/options.h"
#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "broker/doors/amqp/endpoint/sasl_layer.h"
#include "broker/doors/amqp/endpoint/session.h"
#include "broker/doors/amqp/endpoint/shared.h"

namespace wharf::amqp {

class Connection {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  Connection(EndpointOptions options, Instant now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool wants_input() const { return shared_.has_output_room() && !is_over(); }
  void Feed(std::string_view bytes, Instant now);
  std::optional<Event> Next();
  // All that is to be written; what it holds has left as far as this end knows.
  std::string TakeOutput(Instant now);
  // When Tick has something to do, if the peer stays as silent as we do.
  std::optional<Instant> Deadline() const;
  void Tick(Instant now);
  // Nothing more comes: both have closed, or the peer speaks something else. What was written
  // before should leave, then the socket may go.
  bool is_over() const { return is_over_ || (close_sent_ && close_received_); }

  SaslLayer& sasl() { return sasl_; }

  // As it is said by SendOpen; capabilities and properties may depend on the peer's.
  Open& own_open() { return shared_.options.open; }
  void SendOpen();
  void SendClose(std::optional<Error> error = std::nullopt);

  // A session of ours, begun; null if the peer or we allow no more, or it has not opened yet.
  Session* OpenSession(Begin begin = {});
  // Null if it is over, or never was.
  Session* FindSession(SessionId id);
  Link* FindLink(LinkId id);
  std::size_t sessions() const { return sessions_.size(); }
  // Deliveries of all of them, both ways.
  std::size_t unsettled() const;
  // Also those without a body, and those of SASL.
  std::uint64_t frames_received() const { return input_.frames(); }
  std::uint64_t frames_sent() const { return shared_.out.frames(); }

 private:
  enum class Stage : std::uint8_t { kSaslHeader, kSasl, kHeader, kAmqp };

  // Each reads one thing; false if there is none (yet).
  bool ReadOne();
  bool ReadHeader();
  bool ReadSasl();
  bool ReadFrame();
  void OnFrame(const Frame& frame);
  MaybeFault OnBody(std::uint16_t channel, Performative& body, std::string_view payload);
  MaybeFault DecodeFault(const Frame& frame, const std::string& error);
  MaybeFault OnOpen(const Open& open);
  MaybeFault OnBegin(std::uint16_t channel, const Begin& begin);
  MaybeFault OnSession(Session& session, Performative& body, std::string_view payload);
  void OnClose(const Close& close);

  void SayHeader(Protocol protocol);
  // The peer speaks something else, or may not come in.
  void GiveUp(std::string_view condition, std::string why);
  void Handle(Session* session, Fault fault);
  void Fail(Error error);
  Session* OnChannel(std::uint16_t channel) const;
  Session* NewSession();
  // Whether an empty frame has to leave in time.
  bool MustBeat() const;
  void TellClose(std::optional<Error> error, bool is_ours);
  void Sweep();

  // Before the sessions, which use it.
  Shared shared_;
  SaslLayer sasl_;
  FrameReader input_;
  Stage stage_;
  // Our header of AMQP has been said; an open waits for it.
  bool may_speak_ = false;
  bool open_sent_ = false;
  bool open_received_ = false;
  bool close_sent_ = false;
  bool close_received_ = false;
  bool close_told_ = false;
  bool is_over_ = false;

  std::uint16_t remote_channel_max_ = 0;
  // How long the peer waits for a sign of life; zero: for ever.
  std::chrono::milliseconds remote_idle_time_out_{0};
  Instant heard_at_;
  Instant said_at_;

  absl::flat_hash_map<SessionId, std::unique_ptr<Session>> sessions_;
  // By the peer's channels, and by ours.
  absl::flat_hash_map<std::uint16_t, Session*> incoming_channels_;
  absl::flat_hash_map<std::uint16_t, Session*> outgoing_channels_;
};

}  // namespace wharf::amqp
