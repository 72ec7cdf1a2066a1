#include "broker/doors/amqp/jms/subscription_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/core/entities/names.h"

namespace wharf::amqp::jms {
namespace {

using ::testing::HasSubstr;

TEST(JmsSubscriptionNameTest, NameClientAndKindStandInIt) {  // JMS-1
  EXPECT_EQ(*StoredNameOf({.name = "prices", .client_id = "shop", .is_durable = true}),
            "prices$shop$D");
  EXPECT_EQ(*StoredNameOf({.name = "prices", .client_id = "shop"}), "prices$shop$ND");
  EXPECT_EQ(*StoredNameOf({.name = "prices", .client_id = "", .is_durable = true}), "prices$$D");
  EXPECT_TRUE(IsOfNonDurable("prices$$ND"));
  EXPECT_FALSE(IsOfNonDurable("prices$$D"));
  EXPECT_FALSE(IsOfNonDurable("pricesND"));
}

TEST(JmsSubscriptionNameTest, LinksOfOneNameAreToldApartBehindABar) {
  for (const char* link : {"prices", "prices|global", "prices|2", "prices|volatile1",
                           "prices|global-volatile1", "prices|global|3"}) {
    EXPECT_EQ(NameInLink(link), "prices") << link;
  }
}

// Else two of them could have one stored name.
TEST(JmsSubscriptionNameTest, APartThatCannotStandInItIsNamed) {
  const auto why = [](SubscriptionName name) { return StoredNameOf(name).status().message(); };
  EXPECT_THAT(why({.name = "a$b"}), HasSubstr("the subscription 'a$b' cannot stand"));
  EXPECT_THAT(why({.name = ""}), HasSubstr("the subscription '' cannot stand"));
  EXPECT_THAT(why({.name = "a/b"}), HasSubstr("the subscription 'a/b' cannot stand"));
  EXPECT_THAT(why({.name = "a", .client_id = "b$c"}), HasSubstr("the client id 'b$c'"));
  EXPECT_THAT(why({.name = "a", .client_id = "ID:1"}), HasSubstr("the client id 'ID:1'"));
  EXPECT_THAT(why({.name = std::string(48, 'n'), .client_id = "", .is_durable = true}),
              HasSubstr("longer than 50 characters"));
  EXPECT_TRUE(StoredNameOf({.name = std::string(47, 'n'), .is_durable = true}).ok());
}

// To the letters of the parts: two `$`, and D or ND.
TEST(JmsSubscriptionNameTest, NameAndClientHaveFortySevenCharactersTogether) {
  const std::string uuid = "5e2c3a5e-1111-2222-3333-444455556666";
  const auto is_one = [&](std::size_t name, bool is_durable) {
    return StoredNameOf({std::string(name, 'n'), uuid, is_durable}).ok();
  };
  EXPECT_TRUE(is_one(11, true));
  EXPECT_FALSE(is_one(12, true));
  EXPECT_TRUE(is_one(10, false));
  EXPECT_FALSE(is_one(11, false));
}

// Any door may name them; nothing else has the letter between their parts.
TEST(JmsSubscriptionNameTest, SubscriptionsMayHaveSuchNamesAndNoOtherOnesWithItsLetter) {
  for (const char* name : {"a$b$D", "a$$D", "a$b$ND", "a$$ND", "a-1$b.2$D"}) {
    EXPECT_TRUE(CheckSubscriptionPath(SubscriptionPath("t", name)).ok()) << name;
  }
  for (const char* name :
       {"a$D", "$b$D", "$$D", "a$b$X", "a$b$d", "a$b$c$D", "a$b$", "$", "a$", "a$-$D", "-a$b$D"}) {
    EXPECT_FALSE(CheckSubscriptionPath(SubscriptionPath("t", name)).ok()) << name;
  }
}

}  // namespace
}  // namespace wharf::amqp::jms
