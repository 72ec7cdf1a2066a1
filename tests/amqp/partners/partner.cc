// amqp_partner: the endpoint on real sockets, for partners of another make. One thread.
//
//   amqp_partner listen               says its port, then serves queues in memory until stdin ends
//   amqp_partner dial PORT ADDRESS N  sends N messages there, takes N from there; 0 if that went
//   well
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/amqp/partners/tiny_broker.h"
#include "tests/amqp/partners/tiny_dialler.h"

namespace wharf::amqp {
namespace {

Connection::Instant Now() { return std::chrono::steady_clock::now(); }

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// Blocking sockets and one reader at a time: what is written is small beside a socket's buffer, or
// the partner reads.
class Stream {
 public:
  explicit Stream(int socket) : socket_(socket) {}
  ~Stream() { close(socket_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int socket() const { return socket_; }
  // False at the end of the stream.
  bool Read(Connection& endpoint) const {
    char bytes[4096];
    const ssize_t count = read(socket_, bytes, sizeof(bytes));
    if (count > 0) endpoint.Feed({bytes, static_cast<std::size_t>(count)}, Now());
    return count > 0;
  }
  // All there is to say, and what may be said when that has left.
  template <typename Peer>
  bool Write(Peer& peer) const {
    for (peer.Work();; peer.Work()) {
      const std::string bytes = peer.endpoint().TakeOutput(Now());
      if (bytes.empty()) return true;
      for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t count = send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
        if (count <= 0) return false;
        at += static_cast<std::size_t>(count);
      }
    }
  }

 private:
  const int socket_;
};

struct Client {
  Client(int socket, TinyQueues& queues)
      : stream(socket), broker(queues, TinyBroker::Options(), Now()) {}
  Stream stream;
  TinyBroker broker;
};

int Listen() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener, 9) != 0) {
    return 1;
  }
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  TinyQueues queues;
  std::list<Client> clients;
  while (true) {
    std::vector<pollfd> waits = {{STDIN_FILENO, POLLIN, 0}, {listener, POLLIN, 0}};
    for (const Client& client : clients) waits.push_back({client.stream.socket(), POLLIN, 0});
    poll(waits.data(), waits.size(), -1);
    if (waits[0].revents != 0) return 0;
    std::size_t at = 2;
    for (auto client = clients.begin(); client != clients.end(); ++at) {
      const bool has_ended =
          waits[at].revents != 0 && !client->stream.Read(client->broker.endpoint());
      const bool is_over =
          has_ended || !client->stream.Write(client->broker) || client->broker.endpoint().is_over();
      client = is_over ? clients.erase(client) : std::next(client);
    }
    if (waits[1].revents != 0) {
      const int socket = accept(listener, nullptr, nullptr);
      if (socket >= 0) clients.emplace_back(socket, queues);
    }
  }
}

int Dial(int port, const std::string& address, int messages) {
  const Stream stream(socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in peer = Loopback(port);
  if (connect(stream.socket(), reinterpret_cast<const sockaddr*>(&peer), sizeof(peer)) != 0)
    return 1;
  TinyDialler dialler(address, messages, Now());
  while (stream.Write(dialler) && !dialler.endpoint().is_over() &&
         stream.Read(dialler.endpoint())) {
  }
  return dialler.has_succeeded() ? 0 : 1;
}

}  // namespace
}  // namespace wharf::amqp

int main(int count, char** words) {
  const std::vector<std::string> arguments(words, words + count);
  if (count == 2 && arguments[1] == "listen") return wharf::amqp::Listen();
  if (count == 5 && arguments[1] == "dial") {
    return wharf::amqp::Dial(std::atoi(words[2]), arguments[3], std::atoi(words[4]));
  }
  std::fprintf(stderr, "usage: amqp_partner listen | dial PORT ADDRESS N\n");
  return 2;
}
