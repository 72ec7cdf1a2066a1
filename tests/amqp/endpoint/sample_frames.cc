#include "tests/amqp/endpoint/sample_frames.h"

#include "broker/doors/amqp/endpoint/frame_writer.h"
#include "broker/doors/amqp/endpoint/protocol_header.h"

namespace wharf::amqp {
namespace {

template <typename Body>
std::string FrameOf(const Body& body) {
  FrameWriter writer;
  writer.Write(0, body);
  return writer.Take();
}

std::string AnOpen() {
  Open open;
  open.container_id = "peer";
  open.max_frame_size = 1000;
  open.idle_time_out = 1000;
  return FrameOf(open);
}

std::string ABegin() {
  Begin begin;
  begin.incoming_window = 10;
  begin.outgoing_window = 10;
  return FrameOf(begin);
}

std::string AnAttach(Role role, std::uint32_t handle) {
  Attach attach;
  attach.name = "l";
  attach.role = role;
  attach.handle = handle;
  attach.source.emplace().address = "q";
  Target target;
  target.address = "q";
  attach.target = target;
  if (role == Role::kSender) attach.initial_delivery_count = 0;
  return FrameOf(attach);
}

std::string AFlow() {
  Flow flow;
  flow.next_incoming_id = 0;
  flow.incoming_window = 10;
  flow.outgoing_window = 10;
  flow.handle = 1;
  flow.delivery_count = 0;
  flow.link_credit = 5;
  flow.drain = true;
  flow.echo = true;
  return FrameOf(flow);
}

std::string ATransfer(std::uint32_t id, bool more) {
  Transfer transfer;
  transfer.delivery_id = id;
  transfer.delivery_tag = Binary{"t"};
  FrameWriter writer;
  writer.WriteTransfer(0, transfer, "payload", !more);
  return writer.Take();
}

std::string ADisposition(Role role, DeliveryState state) {
  Disposition disposition;
  disposition.role = role;
  disposition.last = 9;
  disposition.state = std::move(state);
  return FrameOf(disposition);
}

std::string ADetach(std::uint32_t handle) {
  Detach detach;
  detach.handle = handle;
  detach.error.emplace().condition.text = "amqp:not-found";
  return FrameOf(detach);
}

}  // namespace

std::vector<std::string> SampleFrames() {
  Modified modified;
  modified.undeliverable_here = true;
  TransactionalState transactional;
  transactional.txn_id.bytes = "x";
  transactional.outcome = Accepted();
  return {ABegin(),
          AnAttach(Role::kSender, 0),
          AnAttach(Role::kReceiver, 1),
          ATransfer(0, false),
          ATransfer(1, true),
          ATransfer(1, false),
          AFlow(),
          ADisposition(Role::kReceiver, Accepted()),
          ADisposition(Role::kReceiver, modified),
          ADisposition(Role::kSender, transactional),
          ADetach(0),
          ADetach(1),
          FrameOf(End()),
          FrameOf(Close())};
}

std::string SampleStream(bool has_links) {
  std::string stream = HeaderOf(Protocol::kAmqp) + AnOpen() + ABegin();
  if (has_links) stream += AnAttach(Role::kSender, 0) + AnAttach(Role::kReceiver, 1);
  return stream;
}

}  // namespace wharf::amqp
