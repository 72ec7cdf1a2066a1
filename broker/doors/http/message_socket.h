// MessageSocket: a WebSocket (RFC 6455) by its messages, for who speaks in texts: each is read, and
// written, as a whole.
//
// One read and one write are under way at most. All of it on its executor, a strand of HTTP's,
// where what is waited for is heard, too; nothing is heard any more once it is closed. Made by
// HTTP's connections, which it keeps; the server ends it as it ends them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "absl/functional/any_invocable.h"

namespace wharf {

class MessageSocket {
 public:
  // Nothing: its client has closed it or is gone, or broke the rules and was told.
  using Heard = absl::AnyInvocable<void(std::optional<std::string> text) &&>;
  // False: its client is gone, or does not read.
  using Written = absl::AnyInvocable<void(bool is_written) &&>;

  virtual ~MessageSocket() = default;
  virtual boost::asio::any_io_executor executor() = 0;
  virtual void Read(Heard heard) = 0;
  virtual void Write(std::string text, Written written) = 0;
  // Behind what was written. The code is one of RFC 6455 7.4, or of 4000 and above; of the reason
  // 123 bytes are told.
  virtual void Close(std::uint16_t code, std::string_view reason) = 0;
};
using MessageSocketPtr = std::unique_ptr<MessageSocket>;

}  // namespace wharf
