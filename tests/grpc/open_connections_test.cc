#include "broker/doors/common/open_connections.h"

#include <array>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace wharf {
namespace {

// Both ends of a connection, as long as they are not closed.
class Connection {
 public:
  Connection() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~Connection() { Close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int descriptor() const { return ends_[0]; }
  void Close() {
    for (int& end : ends_) {
      if (end >= 0) close(end);
      end = -1;
    }
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

TEST(OpenConnectionsTest, OneTooManyIsRefusedUntilAnotherEnds) {  // QUO-6
  OpenConnections connections(2);
  Connection first;
  const Connection second;
  EXPECT_TRUE(connections.Admit(first.descriptor()));
  EXPECT_TRUE(connections.Admit(second.descriptor()));

  const Connection third;
  EXPECT_FALSE(connections.Admit(third.descriptor()));

  EXPECT_EQ(connections.Count(), 2u);
  first.Close();
  EXPECT_EQ(connections.Count(), 1u);
  EXPECT_TRUE(connections.Admit(third.descriptor()));
  EXPECT_EQ(connections.admitted(), 3u);
  EXPECT_EQ(connections.refused(), 1u);
}

TEST(OpenConnectionsTest, ADescriptorThatComesAgainIsAnotherConnection) {
  OpenConnections connections(1);
  Connection first;
  EXPECT_TRUE(connections.Admit(first.descriptor()));
  const int descriptor = first.descriptor();
  first.Close();

  const Connection second;

  ASSERT_EQ(second.descriptor(), descriptor);  // The system gives the lowest that is free.
  EXPECT_TRUE(connections.Admit(second.descriptor()));
  EXPECT_EQ(connections.Count(), 1u);
}

TEST(OpenConnectionsTest, ALowerLimitEndsNobody) {
  OpenConnections connections(2);
  const Connection first;
  const Connection second;
  EXPECT_TRUE(connections.Admit(first.descriptor()));
  EXPECT_TRUE(connections.Admit(second.descriptor()));

  connections.SetMax(1);

  EXPECT_EQ(connections.Count(), 2u);
  const Connection third;
  EXPECT_FALSE(connections.Admit(third.descriptor()));
  connections.SetMax(3);
  EXPECT_TRUE(connections.Admit(third.descriptor()));
}

}  // namespace
}  // namespace wharf
