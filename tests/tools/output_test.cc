#include "tools/wharf/terminal/output.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace wharf::tool {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string ContentOf(std::FILE* file) {
  std::rewind(file);
  std::string content(100, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file));
  return content;
}

TEST(OutputTest, KeepsTheOrderOfWhatIsWritten) {
  const File file(std::tmpfile());
  Output out(file.get());

  out.Print("{} {:>3}\n", "a", 7);
  out.PrintJson({{"b", 1}});
  out.Write(std::string_view("c\0d", 3));

  EXPECT_TRUE(out.Flush());
  EXPECT_FALSE(out.is_broken());
  EXPECT_EQ(ContentOf(file.get()), std::string("a   7\n{\"b\":1}\nc\0d", 17));
}

TEST(OutputTest, RemembersThatTheDiskIsFull) {
  const File file(std::fopen("/dev/full", "w"));
  Output out(file.get());

  out.Write("a");

  EXPECT_FALSE(out.Flush());
  EXPECT_EQ(out.error(), ENOSPC);
  EXPECT_FALSE(out.is_reader_gone());
  EXPECT_FALSE(out.Flush());
}

TEST(OutputTest, NoticesAFullDiskInTheMiddle) {
  const File file(std::fopen("/dev/full", "w"));
  Output out(file.get());

  for (int i = 0; i < 1000 && !out.is_broken(); ++i) out.Write(std::string(1000, 'x'));

  EXPECT_EQ(out.error(), ENOSPC);
}

TEST(OutputTest, KnowsAReaderThatHasGone) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const File file(fdopen(ends[1], "w"));
  Output out(file.get());
  close(ends[0]);

  out.Write("a");

  EXPECT_FALSE(out.Flush());
  EXPECT_TRUE(out.is_reader_gone());
}

TEST(OutputTest, IsAsWideAsTheEnvironmentSays) {
  const File file(std::tmpfile());
  const Output out(file.get());

  setenv("COLUMNS", "132", 1);
  EXPECT_EQ(out.width(), 132);
  for (const char* nonsense : {"", "0", "-5", "80x", "99999999999999999999"}) {
    setenv("COLUMNS", nonsense, 1);
    EXPECT_EQ(out.width(), 80) << nonsense;
  }
  unsetenv("COLUMNS");
  EXPECT_EQ(out.width(), 80);
  EXPECT_FALSE(out.is_terminal());
}

}  // namespace
}  // namespace wharf::tool
