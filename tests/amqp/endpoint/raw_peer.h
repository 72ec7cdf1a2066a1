// RawPeer: an endpoint that accepts, and a peer that says to it whatever a test wants, frame by
// frame, also what no endpoint would say.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/doors/amqp/endpoint/connection.h"
#include "broker/doors/amqp/endpoint/frame_writer.h"
#include "tests/amqp/endpoint/frame_text.h"

namespace wharf::amqp {

class RawPeer {
 public:
  static EndpointOptions Options();
  explicit RawPeer(EndpointOptions options = Options());

  Connection& endpoint() { return endpoint_; }
  Connection::Instant now() const { return now_; }
  void Advance(std::chrono::milliseconds span);

  // Bytes, as they are; what the endpoint makes of them is in events.
  void Feed(std::string_view bytes);
  template <typename Body>
  void Say(const Body& body, std::string_view payload = {}, std::uint16_t channel = 0) {
    Feed(FrameOf(body, payload, channel));
  }
  template <typename Body>
  static std::string FrameOf(const Body& body, std::string_view payload = {},
                             std::uint16_t channel = 0) {
    std::string bytes;
    Writer writer(bytes);
    Write(writer, body);
    return FrameOfBytes(bytes + std::string(payload), channel);
  }
  static std::string FrameOfBytes(std::string_view body, std::uint16_t channel = 0);

  // What the endpoint has said since: one line for each frame.
  std::string Hear();
  // And what it has heard: one line for each event.
  std::string Events();
  // The events themselves; what they view is gone.
  const std::vector<Event>& events() const { return events_; }

  // The peer opens, begins on channel 0, and is answered.
  void Open(std::uint32_t max_frame_size = 65536);
  Session& Begin(std::uint32_t incoming_window = 1000);
  // The peer attaches with this role and handle, and is answered.
  Link& Attach(Role role, std::uint32_t handle = 0, std::string name = "link",
               std::optional<std::uint64_t> message_bytes_max = std::nullopt);
  // The peer gives credit to the endpoint.
  void GiveCredit(std::uint32_t credit, std::uint32_t delivery_count = 0, bool drain = false,
                  std::uint32_t incoming_window = 1000);
  // The peer sends one delivery of one transfer.
  void Deliver(std::uint32_t id, std::string_view payload, std::uint32_t handle = 0);

 private:
  Connection::Instant now_{};
  Connection endpoint_;
  FrameText frames_;
  std::vector<Event> events_;
  std::vector<std::string> lines_;
};

}  // namespace wharf::amqp
