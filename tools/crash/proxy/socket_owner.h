// SocketOwner: which process has the other end of a connection within this machine.
//
// A node does not say in the clear which one it is, and all of them dial from one address; the
// kernel knows (/proc/net/tcp, /proc/PID/fd). Plain function for any thread.
#pragma once

#include <span>

#include <boost/asio/ip/tcp.hpp>
#include <sys/types.h>

namespace wharf::crash {

// Of these processes, the one that has a socket with this address of its own; 0: none of them.
pid_t OwnerOf(const boost::asio::ip::tcp::endpoint& local, std::span<const pid_t> processes);

}  // namespace wharf::crash
