#include "replication/peers/admission/inviter.h"

#include <utility>

#include "replication/peers/admission/refusal.h"
#include "replication/peers/streams/transport.h"

namespace wharf {

using boost::asio::ip::tcp;

Inviter::Inviter(PeerWorld& world, Invitation invitation, const std::string& address, Done done)
    : world_(world), invitation_(std::move(invitation)), done_(std::move(done)) {
  dial_ = std::make_unique<Dial>(
      world_.strand, world_.security, address, world_.limits.connect_max,
      [this](Result<tcp::socket> dialled) { OnDialled(std::move(dialled)); });
}

Inviter::~Inviter() {
  if (stream_ != nullptr) stream_->Drop();
}

void Inviter::OnDialled(Result<tcp::socket> dialled) {
  if (!dialled.ok()) return Tell(dialled.status());
  stream_ = FramedStream::Begin(MakeTransport(*std::move(dialled), world_.security.content()),
                                world_.strand, End::kDialler, world_.limits.invitation_max, *this);
}

// Whoever may not have it does not get to read it.
void Inviter::OnBegun() {
  const Status meant =
      world_.admission.CheckInvited(invitation_.identity.name, stream_->proven_name());
  if (meant.ok()) return stream_->Write(FrameKind::kInvitation, Encode(invitation_));
  Refuse(*std::exchange(stream_, nullptr), meant);
  Tell(meant);
}

Status Inviter::OnFrame(Frame frame) {
  if (frame.kind == FrameKind::kRefusal) return RefusedWith(frame.payload);
  if (frame.kind != FrameKind::kAccepted) {
    return {ErrorCode::kServiceCommunicationProblem, "its answer is none to an invitation"};
  }
  std::exchange(stream_, nullptr)->Finish();
  Tell({});
  return {};
}

void Inviter::Tell(const Status& answer) {
  if (const Done done = std::exchange(done_, nullptr)) done(answer);
}

}  // namespace wharf
