#include "broker/doors/common/local_peer.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(LocalPeerTest, LoopbackAndUnixSocketsAreLocal) {
  for (const char* peer :
       {"ipv4:127.0.0.1:5000", "ipv4:127.8.9.1:1", "ipv6:[::1]:5000", "ipv6:%5B::1%5D:5000",
        "ipv6:[::ffff:127.0.0.1]:5000", "unix:", "unix:/run/wharf.sock"}) {
    EXPECT_TRUE(IsLocalPeer(peer)) << peer;
  }
}

TEST(LocalPeerTest, EverythingElseIsNot) {
  for (const char* peer : {"", "ipv4:10.0.0.1:5000", "ipv4:128.0.0.1:5000", "ipv6:[::2]:5000",
                           "ipv6:[::ffff:10.0.0.1]:5000", "ipv4:127.0.0.1.evil.org:5000",
                           "ipv4:127.0.0.1", "127.0.0.1:5000", "unknown", "dns:localhost:1"}) {
    EXPECT_FALSE(IsLocalPeer(peer)) << peer;
  }
}

}  // namespace
}  // namespace wharf
