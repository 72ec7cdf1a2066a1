// HandedStream: the bytes of a client that one door has let in and another one serves, as a stream
// that Asio knows: what carries them is the business of the door that let it in.
//
// Its carrier lives on an executor of that door, a strand, and so does who reads and writes. At
// most one read and one write are under way; what they are told to fill and to take stays until
// they are done. Made by HTTP's connections, of WebSockets; used by the AMQP door.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>

#include "absl/functional/any_invocable.h"

namespace wharf {

class HandedStream {
 public:
  using executor_type = boost::asio::any_io_executor;
  using Done = absl::AnyInvocable<void(boost::system::error_code, std::size_t) &&>;
  // What its end is told of why.
  enum class Ending : bool { kAllSaid, kSentAway };

  class Carrier {
   public:
    virtual ~Carrier() = default;
    virtual executor_type executor() = 0;
    virtual void Read(boost::asio::mutable_buffer into, Done done) = 0;
    virtual void Write(boost::asio::const_buffer bytes, Done done) = 0;
    // Tells the other end that nothing more comes, and waits for its word, for a while.
    virtual void Shutdown(Ending ending, Done done) = 0;
    // Ends it now, and what is under way.
    virtual void Close() = 0;
  };

  explicit HandedStream(std::shared_ptr<Carrier> carrier) : carrier_(std::move(carrier)) {}

  // As Asio asks for them.
  executor_type get_executor() { return carrier_->executor(); }
  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& into, Handler&& done) {
    carrier_->Read(*boost::asio::buffer_sequence_begin(into), std::forward<Handler>(done));
  }
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& bytes, Handler&& done) {
    carrier_->Write(*boost::asio::buffer_sequence_begin(bytes), std::forward<Handler>(done));
  }

  void Shutdown(Ending ending, Done done) { carrier_->Shutdown(ending, std::move(done)); }
  void Close() { carrier_->Close(); }

 private:
  std::shared_ptr<Carrier> carrier_;
};

}  // namespace wharf
