#include "replication/peers/streams/outgoing.h"

#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "replication/peers/admission/refusal.h"
#include "replication/peers/endpoint_text.h"
#include "replication/peers/streams/transport.h"
#include "storage/base/log_limit.h"

namespace wharf {
namespace {

using boost::asio::ip::tcp;

// Of messages that leave together; a larger one leaves alone.
constexpr std::size_t kGatherBytes = 128 << 10;

}  // namespace

Outgoing::Outgoing(PeerWorld& world, std::shared_ptr<PeerLink> link, Traffic traffic,
                   std::function<void()> down)
    : world_(world),
      link_(std::move(link)),
      traffic_(traffic),
      down_(std::move(down)),
      pause_(world.limits.redial, world.random),
      redial_(world.strand) {}

Outgoing::~Outgoing() { LetGo(); }

void Outgoing::Hurry() {
  if (!is_pausing_) return;
  pause_.Reset();
  Dial();
}

void Outgoing::Dial() {
  is_pausing_ = false;
  redial_.Cancel();
  dial_ = std::make_unique<wharf::Dial>(
      world_.strand, world_.security, link_->member().peer_address, world_.limits.connect_max,
      [this](Result<tcp::socket> dialled) { OnDialled(std::move(dialled)); });
}

void Outgoing::OnDialled(Result<tcp::socket> dialled) {
  dial_.reset();
  if (!dialled.ok()) return Fail(dialled.status());
  where_ = OtherEndOf(*dialled);
  stream_ = FramedStream::Begin(MakeTransport(*std::move(dialled), world_.security.content()),
                                world_.strand, End::kDialler, world_.limits.handshake_max, *this);
}

void Outgoing::OnBegun() {
  stream_->Write(FrameKind::kHello, Encode(world_.admission.HelloTo(link_->member(), traffic_)));
}

Status Outgoing::OnFrame(Frame frame) {
  if (frame.kind == FrameKind::kRefusal) return RefusedWith(frame.payload);
  if (pulse_ == nullptr) return OnAnswer(frame);
  WHARF_RETURN_IF_ERROR(pulse_->Take(frame));
  link_->NoteHeard(world_.wall.Now());
  // The other stream's pings wait behind what is large.
  const auto reading = traffic_ == Traffic::kSmall ? pulse_->reading() : std::nullopt;
  if (reading) link_->NoteClock(*reading);
  return {};
}

Status Outgoing::OnAnswer(const Frame& frame) {
  if (frame.kind != FrameKind::kWelcome) {
    return {ErrorCode::kServiceCommunicationProblem, "its first frame is no answer to a hello"};
  }
  const Result<Hello> welcome = DecodeHello(frame.payload);
  if (!welcome.ok()) return welcome.status();
  const Status taken = OnWelcome(*welcome);
  // The other end is to know why, too.
  if (!taken.ok()) Refuse(*std::exchange(stream_, nullptr), taken);
  if (!taken.ok()) Fail(taken);
  return {};
}

Status Outgoing::OnWelcome(const Hello& welcome) {
  WHARF_RETURN_IF_ERROR(
      world_.admission.CheckWelcome(welcome, link_->member(), stream_->proven_name()));
  Result<LiveProcesses::Presence> presence =
      world_.processes.Enter(welcome.from.node, welcome.from.name, welcome.incarnation, where_);
  if (!presence.ok()) return presence.status();
  presence_ = *std::move(presence);
  BeUp(welcome);
  return {};
}

void Outgoing::BeUp(const Hello& welcome) {
  stream_->Establish(FramedStream::kHandshakeBytesMax);
  up_since_ = SteadyNow();
  link_->NoteUp(traffic_, welcome.levels, world_.wall.Now());
  const std::string up =
      fmt::format("the stream of {} messages to {} is up", ToText(traffic_), Name());
  if (world_.news.IsNews(up)) spdlog::info("{}", up);
  pulse_ = std::make_unique<Pulse>(world_, *stream_, [this](const Status& why) { Fail(why); });
  link_->queue(traffic_).Open();
  pulse_->Start();
}

// One write is under way and one is gathered: so the queue's bound is nearly all that is kept.
void Outgoing::FillRoom() {
  if (pulse_ == nullptr) return;
  while (stream_->gathered_bytes() < kGatherBytes) {
    const std::optional<std::string> message = link_->queue(traffic_).Pop();
    if (!message) return;
    stream_->Write(FrameKind::kMessage, *message);
  }
}

void Outgoing::Fail(const Status& why) {
  const bool was_up = pulse_ != nullptr;
  if (was_up && SteadyNow() - up_since_ >= world_.limits.redial.longest) pause_.Reset();
  Tell(why);
  LetGo();
  is_pausing_ = true;
  redial_.After(pause_.Next(), [this] { Dial(); });
  if (was_up) down_();
}

void Outgoing::Tell(const Status& why) {
  const std::string sentence = fmt::format("{}: {}", Name(), why.message());
  link_->NoteFailure(traffic_, sentence);
  if (world_.news.IsNews(sentence)) spdlog::warn("no stream to {}", sentence);
}

// The pulse looks at the stream, and ends first.
void Outgoing::LetGo() {
  link_->queue(traffic_).Close();
  dial_.reset();
  pulse_.reset();
  presence_.reset();
  if (stream_ != nullptr) std::exchange(stream_, nullptr)->Drop();
}

std::string Outgoing::Name() const {
  return fmt::format("{} at {}", link_->member().name, link_->member().peer_address);
}

}  // namespace wharf
