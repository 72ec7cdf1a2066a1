// Reach rows: tells the switch which test of a GoogleTest program runs, so that each has a row of
// its own, and writes beside the rows which test that is, and how many milliseconds it took. In
// every test program of a build with faults.

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tools/mutate/switch.h"

namespace wharf_fault {
namespace {

class RowOfTest : public testing::EmptyTestEventListener {
 public:
  explicit RowOfTest(const std::string& rows) : names_(rows + ".tests") {}

  void OnTestStart(const testing::TestInfo& test) override {
    names_ << test.test_suite_name() << '.' << test.name() << ' ';
    MarkIn(++count_);
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    MarkIn(0);
    names_ << test.result()->elapsed_time() << std::endl;
  }

 private:
  std::ofstream names_;
  std::size_t count_ = 0;
};

bool Listen() {
  const char* rows = std::getenv("WHARF_REACH");
  if (rows != nullptr) testing::UnitTest::GetInstance()->listeners().Append(new RowOfTest(rows));
  return rows != nullptr;
}

[[maybe_unused]] const bool kListens = Listen();

}  // namespace
}  // namespace wharf_fault
