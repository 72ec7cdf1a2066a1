#include "tools/crash/nodes/free_port.h"

#include <set>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wharf::crash {
namespace {

// As tests/wire/python/free_ports.py claims one; 0: it could.
int ClaimElsewhere(std::uint16_t port) {
  const std::string program =
      "import socket; socket.socket(socket.AF_UNIX).bind('\\0wharf-test-port-" +
      std::to_string(port) + "')";
  const pid_t child = fork();
  if (child == 0) {
    execl("/usr/bin/python3", "python3", "-c", program.c_str(), nullptr);
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(FreePortTest, NobodyElseThatTestsHereTakesIt) {
  const std::uint16_t port = FindFreePort();
  ASSERT_NE(port, 0);
  EXPECT_EQ(ClaimElsewhere(port), 1);
  EXPECT_EQ(ClaimElsewhere(1), 0);
}

TEST(FreePortTest, NoneIsGivenTwice) {
  std::set<std::uint16_t> given;
  for (int i = 0; i < 300; ++i) given.insert(FindFreePort());
  EXPECT_EQ(given.size(), 300U);
  EXPECT_FALSE(given.contains(0));
}

}  // namespace
}  // namespace wharf::crash
