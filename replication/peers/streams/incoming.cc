#include "replication/peers/streams/incoming.h"

#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/peers/admission/refusal.h"
#include "replication/peers/endpoint_text.h"
#include "replication/peers/streams/transport.h"

namespace wharf {

using boost::asio::ip::tcp;

namespace {

bool IsLocal(const tcp::socket& socket) {
  boost::system::error_code gone;
  const tcp::endpoint other = socket.remote_endpoint(gone);
  return !gone && other.address().is_loopback();
}

}  // namespace

Incoming::Incoming(PeerWorld& world, tcp::socket socket, std::shared_ptr<const void> ticket,
                   Owner& owner)
    : world_(world), owner_(owner), where_(OtherEndOf(socket)), is_local_(IsLocal(socket)) {
  stream_ = FramedStream::Begin(MakeTransport(std::move(socket), world_.security.content()),
                                world_.strand, End::kListener, world_.limits.handshake_max, *this);
  stream_->Hold(std::move(ticket));
}

Incoming::~Incoming() { LetGo(); }

Status Incoming::OnFrame(Frame frame) {
  if (frame.kind == FrameKind::kRefusal) return RefusedWith(frame.payload);
  if (pulse_ == nullptr) return OnFirst(frame);
  if (frame.kind == FrameKind::kMessage) {
    owner_.OnMessage(*this, std::move(frame.payload));
    return {};
  }
  WHARF_RETURN_IF_ERROR(pulse_->Take(frame));
  owner_.OnHeard(*this);
  return {};
}

// Whoever is refused hears why; so the stream does not end by an error here.
Status Incoming::OnFirst(const Frame& frame) {
  Status taken(ErrorCode::kServiceCommunicationProblem, "its first frame is no hello");
  if (has_invited_) taken = {ErrorCode::kServiceCommunicationProblem, "it did not wait"};
  if (frame.kind == FrameKind::kHello && !has_invited_) taken = OnHello(frame);
  if (frame.kind == FrameKind::kInvitation && !has_invited_) taken = OnInvitation(frame);
  if (frame.kind == FrameKind::kRelay && !has_invited_) taken = OnRelay(frame);
  if (!taken.ok()) Refuse(taken);
  return {};
}

Status Incoming::OnHello(const Frame& frame) {
  Result<Hello> hello = DecodeHello(frame.payload);
  if (!hello.ok()) return hello.status();
  hello_ = *std::move(hello);
  WHARF_RETURN_IF_ERROR(Admit(*hello_));
  BeMember(*hello_);
  return {};
}

Status Incoming::Admit(const Hello& hello) {
  WHARF_RETURN_IF_ERROR(world_.admission.CheckHello(hello, stream_->proven_name()));
  Result<LiveProcesses::Presence> presence =
      world_.processes.Enter(hello.from.node, hello.from.name, hello.incarnation, where_);
  if (!presence.ok()) return presence.status();
  presence_ = *std::move(presence);
  return {};
}

void Incoming::BeMember(const Hello& hello) {
  stream_->Establish(MessageBytesMax(hello.traffic));
  stream_->Write(FrameKind::kWelcome, Encode(world_.admission.WelcomeTo(hello)));
  pulse_ = std::make_unique<Pulse>(world_, *stream_, [this](const Status& why) { OnEnd(why); });
  pulse_->Start();
  owner_.OnMember(*this);
}

// If it is taken, this one is gone when it returns.
Status Incoming::OnRelay(const Frame& frame) {
  const Result<RelayRequest> request = DecodeRelayRequest(frame.payload);
  if (!request.ok()) return request.status();
  hello_ = request->hello;
  WHARF_RETURN_IF_ERROR(world_.admission.CheckHello(*hello_, stream_->proven_name()));
  const Status served = owner_.OnRelay(*this, *request);
  if (!served.ok()) TurnAway(served);
  return {};
}

// The client, not the member that brings it, which says so in its log.
void Incoming::TurnAway(const Status& why) {
  wharf::Refuse(*std::exchange(stream_, nullptr), why);
  owner_.OnGone(*this);
}

std::shared_ptr<FramedStream> Incoming::HandOver() {
  stream_->Establish(FramedStream::kHandshakeBytesMax);
  stream_->Write(FrameKind::kWelcome, Encode(world_.admission.WelcomeTo(*hello_)));
  return std::exchange(stream_, nullptr);
}

Status Incoming::OnInvitation(const Frame& frame) {
  Result<Invitation> invitation = DecodeInvitation(frame.payload);
  if (!invitation.ok()) return invitation.status();
  WHARF_RETURN_IF_ERROR(world_.admission.CheckInvitation(*invitation, stream_->proven_name()));
  has_invited_ = true;
  stream_->Extend(world_.limits.invitation_max);
  owner_.OnInvited(*this, *std::move(invitation));
  return {};
}

void Incoming::Answer(const Status& taken) {
  if (!taken.ok()) return Refuse(taken);
  stream_->Write(FrameKind::kAccepted, "");
  std::exchange(stream_, nullptr)->Finish();
  owner_.OnGone(*this);
}

void Incoming::Refuse(const Status& why) {
  Tell(why);
  wharf::Refuse(*std::exchange(stream_, nullptr), why);
  owner_.OnGone(*this);
}

void Incoming::OnEnd(const Status& why) {
  Tell(why);
  owner_.OnGone(*this);
}

// Who is known may come from another port each time; that is no news.
void Incoming::Tell(const Status& why) {
  const std::string sentence = fmt::format("{}: {}", Name(), why.message());
  if (!is_member()) {
    owner_.OnRefused(hello_ ? std::optional(hello_->from.node) : std::nullopt, sentence);
  }
  if (!world_.news.IsNews(sentence)) return;
  if (is_member()) {
    spdlog::info("the stream of {} messages from {}", ToText(hello_->traffic), sentence);
  } else {
    spdlog::warn("a peer is refused: {}", sentence);
  }
}

// The pulse looks at the stream, and ends first.
void Incoming::LetGo() {
  pulse_.reset();
  presence_.reset();
  if (stream_ != nullptr) std::exchange(stream_, nullptr)->Drop();
}

std::string Incoming::Name() const {
  const std::string host = where_.substr(0, where_.rfind(':'));
  const bool has_name = hello_ && !hello_->from.name.empty();
  return has_name ? fmt::format("{} from {}", hello_->from.name, host) : host;
}

}  // namespace wharf
