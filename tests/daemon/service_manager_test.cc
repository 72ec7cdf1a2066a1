#include "broker/daemon/process/service_manager.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

// As systemd listens: a socket that the environment names.
class Supervisor {
 public:
  Supervisor() {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string path = folder_.path() + "/notify";
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  ~Supervisor() {
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    close(socket_);
  }

  void AskForSigns() { setenv("WATCHDOG_USEC", "2000", 1); }
  std::string Hear() { return Receive(0); }
  bool HearsNothing() { return Receive(MSG_DONTWAIT).empty(); }
  void Forget() {
    while (!HearsNothing()) continue;
  }

 private:
  std::string Receive(int flags) {
    std::array<char, 1000> bytes{};
    const ssize_t size = recv(socket_, bytes.data(), bytes.size(), flags);
    return {bytes.data(), static_cast<std::size_t>(size > 0 ? size : 0)};
  }

  TempFolder folder_;
  const int socket_ = socket(AF_UNIX, SOCK_DGRAM, 0);
};

TEST(SignsOfLifeTest, ComeAsLongAsItLives) {
  Supervisor supervisor;
  supervisor.AskForSigns();

  SignsOfLife signs;
  const SignsOfLife::Subject broker(signs, [] { return true; });

  for (int i = 0; i < 3; ++i) EXPECT_EQ(supervisor.Hear(), "WATCHDOG=1");
}

TEST(SignsOfLifeTest, NoneComesFromWhatHangs) {
  Supervisor supervisor;
  supervisor.AskForSigns();
  std::latch was_asked_often(3);
  std::atomic<int> asked = 0;
  {
    SignsOfLife signs;
    const SignsOfLife::Subject broker(signs, [&] {
      if (asked == 0) supervisor.Forget();  // What was told while there was no broker.
      if (asked++ < 3) was_asked_often.count_down();
      return false;
    });
    was_asked_often.wait();
    EXPECT_TRUE(supervisor.HearsNothing());
  }
}

// A node opens its folder anew: nothing hangs meanwhile.
TEST(SignsOfLifeTest, ComeAlsoWhileThereIsNoBroker) {
  Supervisor supervisor;
  supervisor.AskForSigns();

  SignsOfLife signs;
  {
    const SignsOfLife::Subject broker(signs, [] { return false; });
  }

  EXPECT_EQ(supervisor.Hear(), "WATCHDOG=1");
}

TEST(SignsOfLifeTest, NobodyIsToldWhoDidNotAsk) {
  Supervisor supervisor;
  bool was_asked = false;
  {
    SignsOfLife signs;
    const SignsOfLife::Subject broker(signs, [&] { return was_asked = true; });
  }

  EXPECT_FALSE(was_asked);
  EXPECT_TRUE(supervisor.HearsNothing());
}

}  // namespace
}  // namespace wharf
