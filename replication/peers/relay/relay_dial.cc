#include "replication/peers/relay/relay_dial.h"

#include <utility>

#include "replication/peers/admission/refusal.h"
#include "replication/peers/relay/relay_request.h"
#include "replication/peers/streams/transport.h"

namespace wharf {

using boost::asio::ip::tcp;

RelayDial::RelayDial(PeerWorld& world, Member to, RelayedClient client, Done done)
    : world_(world), to_(std::move(to)), client_(std::move(client)), done_(std::move(done)) {
  dial_ = std::make_unique<Dial>(
      world_.strand, world_.security, to_.peer_address, world_.limits.connect_max,
      [this](Result<tcp::socket> dialled) { OnDialled(std::move(dialled)); });
}

RelayDial::~RelayDial() {
  if (stream_ != nullptr) stream_->Drop();
}

void RelayDial::OnDialled(Result<tcp::socket> dialled) {
  if (!dialled.ok()) return Tell(dialled.status());
  stream_ = FramedStream::Begin(MakeTransport(*std::move(dialled), world_.security.content()),
                                world_.strand, End::kDialler, world_.limits.handshake_max, *this);
}

void RelayDial::OnBegun() {
  const Hello hello = world_.admission.HelloTo(to_, Traffic::kSmall);
  stream_->Write(FrameKind::kRelay, Encode(RelayRequest{hello, client_}));
}

Status RelayDial::OnFrame(Frame frame) {
  if (frame.kind == FrameKind::kRefusal) return RefusedWith(frame.payload);
  Status taken = OnWelcome(frame);
  if (taken.ok()) {
    stream_->Establish(FramedStream::kHandshakeBytesMax);
    Tell(std::exchange(stream_, nullptr));
  }
  return taken;
}

Status RelayDial::OnWelcome(const Frame& frame) {
  if (frame.kind != FrameKind::kWelcome) {
    return {ErrorCode::kServiceCommunicationProblem, "its first frame is no answer to a relay"};
  }
  const Result<Hello> welcome = DecodeHello(frame.payload);
  if (!welcome.ok()) return welcome.status();
  return world_.admission.CheckWelcome(*welcome, to_, stream_->proven_name());
}

void RelayDial::Tell(Result<std::shared_ptr<FramedStream>> result) {
  if (const Done done = std::exchange(done_, nullptr)) done(std::move(result));
}

}  // namespace wharf
