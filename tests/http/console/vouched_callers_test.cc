#include "broker/doors/common/vouched_callers.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(VouchedCallersTest, AHandleLeadsToACallerForAsLongAsItIsThere) {
  VouchedCallers callers(access::SystemKeys());
  auto handle = callers.Vouch({.peer = "127.0.0.1:5000"});
  const std::string text = handle->text();

  ASSERT_NE(callers.Find(text), nullptr);
  EXPECT_EQ(callers.Find(text)->peer, "127.0.0.1:5000");
  EXPECT_EQ(callers.Find(""), nullptr);
  EXPECT_EQ(callers.Find(text + "x"), nullptr);
  EXPECT_NE(callers.Vouch({})->text(), text);

  handle.reset();

  EXPECT_EQ(callers.Find(text), nullptr);
  EXPECT_EQ(callers.size(), 0U);
}

}  // namespace
}  // namespace wharf
