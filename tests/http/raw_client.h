// RawClient: a client that says over a socket exactly what it is told to.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace wharf {

class RawClient {
 public:
  explicit RawClient(int port) : socket_(io_) {
    socket_.connect({boost::asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(port)});
  }

  void Say(const std::string& bytes) {
    boost::system::error_code ignored;  // It may be refused before all is said.
    boost::asio::write(socket_, boost::asio::buffer(bytes), ignored);
  }
  // All that comes until the server ends.
  std::string HearAll() {
    boost::system::error_code end;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(heard_), end);
    return std::exchange(heard_, {});
  }
  // What comes up to this text, and with it; or all, if the server ends before.
  std::string HearUntil(const std::string& text) {
    boost::system::error_code end;
    const std::size_t bytes =
        boost::asio::read_until(socket_, boost::asio::dynamic_buffer(heard_), text, end);
    if (end) return std::exchange(heard_, {});
    std::string heard = heard_.substr(0, bytes);
    heard_.erase(0, bytes);
    return heard;
  }
  std::string Ask(const std::string& bytes) {
    Say(bytes);
    return HearAll();
  }
  void EndSaying() { socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send); }
  void ReadLittle() { socket_.set_option(boost::asio::socket_base::receive_buffer_size(4096)); }
  void Leave() { socket_.close(); }

 private:
  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_;
  std::string heard_;
};

}  // namespace wharf
