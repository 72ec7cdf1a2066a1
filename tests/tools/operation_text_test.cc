#include "tools/wharf/transactions/operation_text.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

const std::string kToken = "00112233445566778899aabbccddeeff";

TEST(OperationTextTest, ABodyIsAllThatFollowsThePath) {
  const auto operation = ParseOperation("send site1/orders two  beers ");

  ASSERT_TRUE(operation.ok()) << operation.status().ToString();
  EXPECT_EQ(operation->send().entity_path(), "site1/orders");
  ASSERT_EQ(operation->send().messages_size(), 1);
  EXPECT_EQ(operation->send().messages(0).body(), "two  beers ");
  EXPECT_EQ(ParseOperation("send orders")->send().messages(0).body(), "");
}

TEST(OperationTextTest, AVerbTakesTokens) {
  const auto operation = ParseOperation("dead-letter orders " + kToken + " " + kToken);

  ASSERT_TRUE(operation.ok()) << operation.status().ToString();
  EXPECT_EQ(operation->settle().entity_path(), "orders");
  EXPECT_TRUE(operation->settle().settlement().has_dead_letter());
  EXPECT_EQ(operation->settle().settlement().lock_tokens_size(), 2);
  EXPECT_EQ(ParseOperation("renew orders " + kToken)->renew_lock().lock_tokens_size(), 1);
}

TEST(OperationTextTest, RejectsOtherText) {
  for (const std::string& text :
       {std::string(), std::string("send"), std::string("complete orders"),
        std::string("complete orders 00"), "peek orders " + kToken}) {
    EXPECT_EQ(ParseOperation(text).status().code(), ErrorCode::kArgumentError) << text;
  }
}

}  // namespace
}  // namespace wharf::tool
