// Peers on threads of their own, used from several others at once: for the thread sanitizer, and
// for what only happens there.

#include <atomic>
#include <condition_variable>
#include <future>
#include <thread>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include "replication/peers/peers.h"
#include "storage/base/mutex.h"
#include "tests/replication/peers/peer_fixture.h"

namespace wharf {
namespace {

// Counts, and wakes who waits.
class CountingObserver final : public Peers::Observer {
 public:
  void OnMessage(NodeId /*from*/, Traffic /*traffic*/, std::string message) override {
    MutexLock lock(mutex_);
    ++messages_;
    bytes_ += message.size();
    changed_.notify_all();
  }
  void OnUnreachable(NodeId /*node*/) override {
    MutexLock lock(mutex_);
    changed_.notify_all();
  }
  void OnInvited(const Invitation& /*invitation*/, Answer answer) override { answer(Status()); }
  Status OnRelayed(const RelayedClient& /*client*/, Descriptor /*connection*/) override {
    return {ErrorCode::kNotImplemented, "nobody is served here"};
  }
  std::uint64_t MembersKnownUpTo() override { return 0; }
  NodeId Leader() override { return {}; }

  bool WaitForMessages(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    MutexLock lock(mutex_);
    while (messages_ < count) {
      if (changed_.wait_until(mutex_, until) == std::cv_status::timeout) break;
    }
    return messages_ >= count;
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t messages_ ABSL_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

struct ThreadedNode {
  ThreadedNode(boost::asio::thread_pool& threads, int number, const PeerSecurity& security)
      : identity{.cluster = *ClusterId::FromText("0123456789abcdef0123456789abcdef"),
                 .node = NodeId(static_cast<std::uint64_t>(number)),
                 .name = "n" + std::to_string(number)},
        random(static_cast<std::uint64_t>(number)),
        peers(threads.get_executor(), identity.name, 1, security, {}, wall, random, observer) {
    port = peers.Listen({boost::asio::ip::make_address("127.0.0.1"), 0}).value();
    peers.BeNode(identity, 1);
  }

  Member member() const {
    return {.node = identity.node,
            .name = identity.name,
            .peer_address = "127.0.0.1:" + std::to_string(port)};
  }

  NodeIdentity identity;
  ManualClock wall{kPeerTestTime};
  SeededRandom random;
  CountingObserver observer;
  Peers peers;
  std::uint16_t port = 0;
};

TEST(PeersThreadsTest, ManyThreadsSendWhileMembersChangeAndStatusIsAsked) {
  TestAuthority authority;
  boost::asio::thread_pool threads(3);
  ThreadedNode one(threads, 1, {.certificates = authority.Issue("n1")});
  ThreadedNode two(threads, 2, {.certificates = authority.Issue("n2")});
  ThreadedNode three(threads, 3, {.certificates = authority.Issue("n3")});
  const std::vector<Member> all = {one.member(), two.member(), three.member()};
  for (ThreadedNode* node : {&one, &two, &three}) node->peers.SetMembers(all);
  constexpr std::size_t kEach = 500;

  const auto send = [](Peers& from, NodeId to, Traffic traffic, std::size_t size) {
    for (std::size_t sent = 0; sent < kEach;) {
      if (from.Send(to, traffic, std::string(size, 'x'))) {
        ++sent;
      } else {
        std::this_thread::yield();
      }
    }
  };
  std::atomic<bool> is_done = false;
  std::thread changing([&] {
    while (!is_done) {
      one.peers.SetMembers({all[0], all[1]});
      one.peers.SetMembers(all);
      for (const PeerStatus& status : one.peers.statuses())
        EXPECT_FALSE(status.member.name.empty());
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> senders;
  for (const Traffic traffic : kAllTraffic) {
    senders.emplace_back(send, std::ref(one.peers), NodeId(2), traffic, 5000);
    senders.emplace_back(send, std::ref(two.peers), NodeId(1), traffic, 50);
  }
  for (std::thread& sender : senders) sender.join();
  is_done = true;
  changing.join();

  EXPECT_TRUE(one.observer.WaitForMessages(2 * kEach));
  EXPECT_TRUE(two.observer.WaitForMessages(2 * kEach));
  for (ThreadedNode* node : {&one, &two, &three}) node->peers.Stop();
  threads.join();
}

TEST(PeersThreadsTest, StopComesInTheMiddleOfEverything) {
  for (int round = 0; round < 20; ++round) {
    boost::asio::thread_pool threads(2);
    ThreadedNode one(threads, 1, {.plain = PlainPeers::kThisMachine});
    ThreadedNode two(threads, 2, {.plain = PlainPeers::kThisMachine});
    for (ThreadedNode* node : {&one, &two}) node->peers.SetMembers({one.member(), two.member()});
    std::atomic<bool> is_done = false;
    std::thread sender([&] {
      while (!is_done) {
        one.peers.Send(NodeId(2), Traffic::kBulk, std::string(10000, 'x'));
        std::this_thread::yield();
      }
    });
    // Before there is a stream, or when so many came through.
    EXPECT_TRUE(two.observer.WaitForMessages(static_cast<std::size_t>(round)));

    two.peers.Stop();
    one.peers.Stop();

    is_done = true;
    sender.join();
    threads.join();
  }
}

// A process that was paused has not heard anything either; what came meanwhile it reads first.
TEST(PeersThreadsTest, AfterAPauseOfThisProcessPeersAreNotTakenForSilent) {
  boost::asio::thread_pool threads_of_one(1), threads_of_two(1);
  PeerLimits limits;
  limits.ping_every = std::chrono::milliseconds(10);
  limits.silence_max = std::chrono::milliseconds(300);
  ThreadedNode two(threads_of_two, 2, {.plain = PlainPeers::kThisMachine});
  RecordingObserver observer;
  ManualClock wall(kPeerTestTime);
  SeededRandom random(1);
  Peers one(threads_of_one.get_executor(), "n1", 1, {.plain = PlainPeers::kThisMachine}, limits,
            wall, random, observer);
  one.BeNode({.cluster = two.identity.cluster, .node = NodeId(1), .name = "n1"}, 1);
  const std::uint16_t port = one.Listen({boost::asio::ip::make_address("127.0.0.1"), 0}).value();
  const std::vector<Member> all = {
      {.node = NodeId(1), .name = "n1", .peer_address = "127.0.0.1:" + std::to_string(port)},
      two.member()};
  one.SetMembers(all);
  two.peers.SetMembers(all);
  while (!one.statuses()[0].is_connected) std::this_thread::yield();

  // Nothing of it runs for longer than silence is borne.
  std::promise<void> over;
  boost::asio::post(threads_of_one, [&] {
    const auto until = std::chrono::steady_clock::now() + 2 * limits.silence_max;
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    over.set_value();
  });
  over.get_future().wait();
  while (!one.Send(NodeId(2), Traffic::kSmall, "still there")) std::this_thread::yield();

  EXPECT_TRUE(two.observer.WaitForMessages(1));
  one.Stop();
  EXPECT_EQ(observer.unreachable[2], 0);
  two.peers.Stop();
  threads_of_one.join();
  threads_of_two.join();
}

}  // namespace
}  // namespace wharf
