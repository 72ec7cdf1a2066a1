#include "tools/client/token_source.h"

#include <gtest/gtest.h>

#include "broker/access/token.h"

namespace wharf::client {
namespace {

using std::chrono::minutes;

class TokenSourceTest : public testing::Test {
 protected:
  std::shared_ptr<TokenSource> Make(const access::ConnectionString& connection) {
    return TokensOf(connection, [this] { return now_; });
  }

  Timestamp now_ = Timestamp(std::chrono::hours(24 * 365 * 50));
  const std::string key_ = std::string(44, 'k');
  const access::ConnectionString with_key_{
      .endpoint = "sb://h:1/", .key_name = "reader", .key = key_, .entity_path = "orders"};
};

TEST_F(TokenSourceTest, MakesTokensForTheEntityOfTheConnectionString) {
  const auto token = access::ParseToken(Make(with_key_)->Token());

  ASSERT_TRUE(token.ok());
  EXPECT_TRUE(access::IsSignedWith(*token, key_));
  EXPECT_EQ(token->resource, "orders");
  EXPECT_EQ(token->rule, "reader");
  EXPECT_EQ(token->expires_at, now_ + kTokenLife);
}

TEST_F(TokenSourceTest, MakesANewOneWhenHalfOfItsLifeIsOver) {
  const auto tokens = Make(with_key_);
  const std::string first = tokens->Token();

  now_ += minutes(30);
  EXPECT_EQ(tokens->Token(), first);
  now_ += minutes(1);
  EXPECT_NE(tokens->Token(), first);
}

// A clock that was wrong, and was set right.
TEST_F(TokenSourceTest, MakesANewOneWhenTheClockIsSetBack) {
  const auto tokens = Make(with_key_);
  const std::string first = tokens->Token();

  now_ -= minutes(10);

  EXPECT_NE(tokens->Token(), first);
}

TEST_F(TokenSourceTest, AGivenTokenIsSentAsItIs) {
  const auto tokens = Make({.endpoint = "sb://h/", .signature = "SharedAccessSignature sr=x"});

  EXPECT_EQ(tokens->Token(), "SharedAccessSignature sr=x");
}

TEST_F(TokenSourceTest, WithoutAProofThereIsNone) {
  EXPECT_EQ(Make({.endpoint = "sb://h/"}), nullptr);
}

}  // namespace
}  // namespace wharf::client
