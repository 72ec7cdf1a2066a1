#include "tests/amqp/endpoint/raw_peer.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "tests/amqp/endpoint/event_text.h"

namespace wharf::amqp {

EndpointOptions RawPeer::Options() {
  EndpointOptions options;
  options.open.container_id = "here";
  options.open.max_frame_size = 65536;
  options.open.channel_max = 9;
  return options;
}

RawPeer::RawPeer(EndpointOptions options) : endpoint_(std::move(options), now_) {}

void RawPeer::Advance(std::chrono::milliseconds span) {
  now_ += span;
  endpoint_.Tick(now_);
  Feed("");
}

void RawPeer::Feed(std::string_view bytes) {
  if (!bytes.empty()) endpoint_.Feed(bytes, now_);
  while (std::optional<Event> event = endpoint_.Next()) {
    lines_.push_back(TextOf(*event));
    events_.push_back(std::move(*event));
  }
}

std::string RawPeer::FrameOfBytes(std::string_view body, std::uint16_t channel) {
  const std::size_t size = 8 + body.size();
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
  bytes += {2, 0, static_cast<char>(channel >> 8), static_cast<char>(channel)};
  return bytes + std::string(body);
}

std::string RawPeer::Hear() {
  const std::string text = absl::StrJoin(frames_.Read(endpoint_.TakeOutput(now_)), "\n");
  // Room for more, perhaps.
  Feed("");
  return text;
}

std::string RawPeer::Events() { return absl::StrJoin(std::exchange(lines_, {}), "\n"); }

void RawPeer::Open(std::uint32_t max_frame_size) {
  Feed(HeaderOf(Protocol::kAmqp));
  amqp::Open open;
  open.container_id = "there";
  open.max_frame_size = max_frame_size;
  Say(open);
  endpoint_.SendOpen();
  Hear();
  Events();
}

Session& RawPeer::Begin(std::uint32_t incoming_window) {
  amqp::Begin begin;
  begin.incoming_window = incoming_window;
  begin.outgoing_window = 1000;
  Say(begin);
  Session& session = *endpoint_.FindSession(std::get<Begun>(events_.back()).session);
  session.SendBegin();
  Hear();
  Events();
  return session;
}

Link& RawPeer::Attach(Role role, std::uint32_t handle, std::string name,
                      std::optional<std::uint64_t> message_bytes_max) {
  amqp::Attach attach;
  attach.name = std::move(name);
  attach.handle = handle;
  attach.role = role;
  attach.source.emplace();
  attach.target.emplace();
  if (role == Role::kSender) attach.initial_delivery_count = 0;
  Say(attach);
  Link& link = *endpoint_.FindLink(std::get<Attached>(events_.back()).link);
  attach.max_message_size = message_bytes_max;
  link.SendAttach(attach);
  Hear();
  Events();
  return link;
}

void RawPeer::GiveCredit(std::uint32_t credit, std::uint32_t delivery_count, bool drain,
                         std::uint32_t incoming_window) {
  Flow flow;
  flow.next_incoming_id = 0;
  flow.incoming_window = incoming_window;
  flow.outgoing_window = 1000;
  flow.handle = 0;
  flow.delivery_count = delivery_count;
  flow.link_credit = credit;
  flow.drain = drain;
  Say(flow);
}

void RawPeer::Deliver(std::uint32_t id, std::string_view payload, std::uint32_t handle) {
  Transfer transfer;
  transfer.handle = handle;
  transfer.delivery_id = id;
  transfer.delivery_tag = Binary{std::to_string(id)};
  Say(transfer, payload);
}

}  // namespace wharf::amqp
