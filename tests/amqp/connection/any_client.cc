#include "tests/amqp/connection/any_client.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "broker/doors/amqp/connection/served_connection.h"
#include "tests/access/sample_rules.h"
#include "tests/amqp/connection/door_client.h"
#include "tests/amqp/connection/recording_entities.h"
#include "tests/quiet_log.h"

namespace wharf::amqp {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// What is said by whoever hears nothing.
template <typename Say>
std::string Said(Say say) {
  std::string bytes;
  DoorClient client({.say = [&bytes](std::string_view more) { bytes += more; },
                     .hear = [] { return std::string(); }});
  say(client);
  return bytes;
}

std::string Entered(bool has_key) {
  const std::string root = std::string(1, '\0') + "root" + std::string(1, '\0') + access::kKeyOne;
  return Said([&](DoorClient& client) {
    if (has_key) client.Enter("PLAIN", root);
    if (!has_key) client.Enter();
  });
}

class Door {
 public:
  Door() { gate_.Open(&guard_); }

  // In memory of its own size, so that the address sanitizer sees a look beyond.
  void Say(std::string_view bytes) {
    now_ += std::chrono::milliseconds(400);
    served_.Tick(now_);
    if (!served_.wants_input()) return Hear();
    const std::unique_ptr<char[]> piece(new char[bytes.size()]);
    bytes.copy(piece.get(), bytes.size());
    served_.Feed({piece.get(), bytes.size()}, now_);
    Hear();
  }

 private:
  void Hear() {
    const std::string answer = served_.TakeOutput(now_);
    Require(answer.size() <= 1 << 20);
    for (const std::string& line : text_.Read(answer)) {
      Require(line.find("broken") == std::string::npos);
    }
    served_.Work(now_);
    Require(served_.partial_bytes().taken() <= limits_.partial_bytes_max);
    Require(served_.claims() <= limits_.claims_max);
  }

  const QuietLog quiet_;
  access::Guard guard_{std::make_shared<const access::Book>(access::Book().With(
                           "", access::SampleRule("root", access::Right::kManage))),
                       [] { return access::kSampleNow; }};
  GuardGate gate_;
  const DoorLimits limits_{.sessions_max = 5,
                           .links_max = 10,
                           .output_bytes_max = 4096,
                           .partial_bytes_max = 1000,
                           .claims_max = 2};
  RecordingEntities entities_;
  const std::function<Timestamp()> wall_ = [] { return access::kSampleNow; };
  const Open open_;
  LogLimit log_limit_{std::chrono::seconds(1)};
  DoorCounts counts_;
  LogLimit told_limit_{Duration(0)};
  const DoorWorld world_{limits_, gate_, entities_, wall_, open_, log_limit_, counts_, told_limit_};
  ServedConnection::Instant now_{};
  ServedConnection served_{world_,
                           {.peer = "client", .subject = {}},
                           [](const std::function<void()>& what) { what(); },
                           now_};
  FrameText text_;
};

}  // namespace

std::string SampleClaims() {
  return Said([](DoorClient& client) {
    client.AttachToCbs();
    client.PutToken("sb://h/q",
                    access::MakeToken("sb://h/q", "root", access::kKeyOne, access::kSampleLater));
  });
}

void TryAnyClient(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto how = static_cast<unsigned char>(bytes[0]);
  bytes.remove_prefix(1);
  Door door;
  if ((how & 1) != 0) door.Say(Entered((how & 2) != 0));
  if ((how & 4) != 0) door.Say(SampleClaims());
  const std::size_t piece = 1 + (how >> 3) * std::size_t{37};
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    door.Say(bytes.substr(0, piece));
  }
}

}  // namespace wharf::amqp
