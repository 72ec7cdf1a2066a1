#include "tests/amqp/endpoint/any_stream.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "broker/doors/amqp/endpoint/protocol_header.h"
#include "tests/amqp/endpoint/frame_text.h"
#include "tests/amqp/endpoint/sample_frames.h"
#include "tests/amqp/partners/tiny_broker.h"

namespace wharf::amqp {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// Speaks to a TinyBroker, and reads its answers.
class Speaker {
 public:
  explicit Speaker(EndpointOptions options) : broker_(queues_, std::move(options), {}) {}

  // In memory of its own size, so that the address sanitizer sees a look beyond.
  void Say(std::string_view bytes) {
    if (!broker_.endpoint().wants_input()) return;
    const std::unique_ptr<char[]> piece(new char[bytes.size()]);
    bytes.copy(piece.get(), bytes.size());
    broker_.endpoint().Feed({piece.get(), bytes.size()}, {});
    broker_.Work();
    Hear();
  }

 private:
  void Hear() {
    const std::string answer = broker_.endpoint().TakeOutput({});
    // Output has a bound, and what is added to it by one event is no more than a few frames.
    Require(answer.size() <= 1 << 20);
    for (const std::string& line : frames_.Read(answer)) {
      Require(line.find("broken") == std::string::npos);
    }
    broker_.Work();
  }

  TinyQueues queues_;
  TinyBroker broker_;
  FrameText frames_;
};

}  // namespace

void TryAnyStream(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto how = static_cast<unsigned char>(bytes[0]);
  bytes.remove_prefix(1);
  EndpointOptions options = TinyBroker::Options();
  options.has_sasl = (how & 1) != 0;
  options.limits.unsettled_max = 20;
  options.limits.links_max = 10;
  options.limits.output_bytes_max = 4096;
  options.first_number = (how & 2) != 0 ? 0 : 0xffffffff;
  Speaker speaker(std::move(options));
  // Most of the frames need a session, and many a link.
  if ((how & 4) != 0) speaker.Say(SampleStream((how & 8) != 0));
  const std::size_t piece = 1 + (how >> 4) * std::size_t{37};
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    speaker.Say(bytes.substr(0, piece));
  }
}

}  // namespace wharf::amqp
