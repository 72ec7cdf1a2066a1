// DoorClient: a client of the AMQP door that says whatever a test wants, frame by frame, and hears
// lines (frame_text.h). How bytes travel is given to it: in memory, or over a socket.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/doors/amqp/endpoint/frame_writer.h"
#include "tests/amqp/endpoint/frame_text.h"

namespace wharf::amqp {

class DoorClient {
 public:
  struct Wire {
    std::function<void(std::string_view bytes)> say;
    // What has come; empty: nothing more does.
    std::function<std::string()> hear;
  };

  explicit DoorClient(Wire wire) : wire_(std::move(wire)) {}

  void SayBytes(std::string_view bytes) { wire_.say(bytes); }
  template <typename Body>
  void Say(const Body& body, std::uint16_t channel = 0) {
    FrameWriter writer;
    writer.set_frame_bytes_max(1 << 20);
    writer.Write(channel, body);
    SayBytes(writer.Take());
  }

  // The first line not heard yet that has `what` in it; empty: none comes.
  std::string Hear(std::string_view what);
  // All that come, and were not heard yet.
  std::vector<std::string> HearAll();
  // The bytes of the message that came last, as far as it has come.
  const std::string& last_payload() const { return last_payload_; }

  // Up to an answer.
  std::string Login(std::string mechanism, std::optional<std::string> response = std::nullopt);
  std::string Open(std::optional<std::uint32_t> idle_time_out = std::nullopt);
  std::string Begin(std::uint16_t channel = 0);
  // All three.
  void Enter(std::string mechanism = "ANONYMOUS",
             std::optional<std::string> response = std::nullopt);

  // The client's role; the address is that of its other end.
  void SayAttach(std::string name, std::uint32_t handle, Role role, std::string address,
                 std::uint16_t channel = 0);
  void SayDetach(std::uint32_t handle);
  void SayFlow(std::uint32_t handle, std::uint32_t credit, bool drain = false);
  void SayTransfer(std::uint32_t handle, std::string_view message, std::uint32_t format = 0,
                   const std::optional<DeliveryState>& state = std::nullopt,
                   bool is_settled = false);
  // The first part of a message of which more is to come.
  void SayFirstPart(std::uint32_t handle, std::string_view part,
                    const std::optional<DeliveryState>& state);
  // Links to `$cbs` as the JavaScript SDK attaches them, of the handles 100 and 101.
  void AttachToCbs(std::uint32_t credit = 1000);
  // The line of the answer.
  std::string PutToken(const std::string& audience, const std::string& token,
                       const std::string& type = "servicebus.windows.net:sastoken");

 private:
  // Of a transfer, whose payload is hexadecimal.
  std::string WithMessage(const std::string& line);

  const Wire wire_;
  FrameText text_;
  std::vector<std::string> lines_;
  std::string last_payload_;
  bool has_more_ = false;
  std::uint32_t next_delivery_ = 0;
};

Target TargetAt(std::string address);

// As clients ask `$cbs`.
struct PutTokenMessage {
  std::string audience{};
  std::string token{};
  std::string type = "servicebus.windows.net:sastoken";
  std::string operation = "put-token";
  MessageId message_id = std::string("m1");
  std::optional<std::string> reply_to = "cbs-1";

  std::string Encoded() const;
};

}  // namespace wharf::amqp
