#include "broker/doors/amqp/connection/link_node.h"

#include <memory>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::amqp {
namespace {

using access::Right;
using ::testing::ElementsAre;

TEST(LinkNodeTest, AnAddressComesInManyForms) {
  for (const char* address :
       {"Orders", "/orders", "orders/", "amqps://host/orders", "sb://host:5671/orders/",
        "AMQP://host//ORDERS", "orders?timeout=3"}) {
    const LinkNode node = NodeOfAddress(address, Role::kReceiver);
    EXPECT_EQ(node.kind, NodeKind::kEntity) << address;
    EXPECT_EQ(node.resource, "orders") << address;
  }
}

TEST(LinkNodeTest, TheEndSaysWhichNodeOfAnEntityIsMeant) {
  const auto node = [](const char* address) {
    const LinkNode found = NodeOfAddress(address, Role::kSender);
    return std::tuple(found.kind, found.path, found.resource);
  };

  EXPECT_EQ(node("$cbs"), std::tuple(NodeKind::kClaims, "$cbs", "$cbs"));
  EXPECT_EQ(node("/$CBS/"), std::tuple(NodeKind::kClaims, "$CBS", "$cbs"));
  EXPECT_EQ(node("q/$management"), std::tuple(NodeKind::kManagement, "q", "q/$management"));
  EXPECT_EQ(node("t/Subscriptions/S/$DeadLetterQueue/$Management"),
            std::tuple(NodeKind::kManagement, "t/Subscriptions/S/$DeadLetterQueue",
                       "t/subscriptions/s/$deadletterqueue/$management"));
  EXPECT_EQ(node("q/$deadletterqueue"),
            std::tuple(NodeKind::kEntity, "q/$deadletterqueue", "q/$deadletterqueue"));
  EXPECT_EQ(node("q/$Transfer/$DeadLetterQueue"),
            std::tuple(NodeKind::kTransferDeadLetter, "q", "q/$transfer/$deadletterqueue"));
  EXPECT_EQ(node("$management"), std::tuple(NodeKind::kEntity, "$management", "$management"));
  EXPECT_EQ(node(""), std::tuple(NodeKind::kEntity, "", ""));
}

TEST(LinkNodeTest, WhoMayUseANodeBelowAnEntityAsksForTheEntity) {
  const auto on = [](const char* address, const char* rule_path, const char* resource) {
    const auto permit = std::make_shared<const access::Permit>(
        access::Permit{.path = rule_path, .resource = resource});
    return PermitOn(NodeOfAddress(address, Role::kSender), permit)->resource;
  };

  EXPECT_EQ(on("q/$management", "", "q/$management"), "q");
  EXPECT_EQ(on("q/$management", "q", "q/$management"), "q");
  EXPECT_EQ(on("t/Subscriptions/S/$DeadLetterQueue/$management", "t",
               "t/subscriptions/s/$deadletterqueue/$management"),
            "t/subscriptions/s/$deadletterqueue");
  EXPECT_EQ(on("q/$Transfer/$DeadLetterQueue", "", "q/$transfer/$deadletterqueue"),
            "q/$deadletterqueue");
  // No more than the rule, and nothing that was wide enough.
  EXPECT_EQ(on("q/$management", "q/$management", "q/$management"), "q/$management");
  EXPECT_EQ(on("q/$management", "", ""), "");
  EXPECT_EQ(on("q", "", "q"), "q");
  EXPECT_EQ(PermitOn(NodeOfAddress("q/$management", Role::kSender), nullptr), nullptr);
  EXPECT_EQ(on("q", "", "other"), "other");
}

TEST(LinkNodeTest, ALinkTakesTheRightOfItsDirection) {
  EXPECT_THAT(NodeOfAddress("q", Role::kReceiver).rights, ElementsAre(Right::kSend));
  EXPECT_THAT(NodeOfAddress("q", Role::kSender).rights, ElementsAre(Right::kListen));
  EXPECT_THAT(NodeOfAddress("q/$management", Role::kSender).rights,
              ElementsAre(Right::kListen, Right::kManage, Right::kSend));
}

// However many entities it could be below of.
TEST(LinkNodeTest, AnAddressThatIsTooLongIsRefused) {
  Attach attach;
  attach.source.emplace().address = "q" + std::string(1023, '/');
  EXPECT_TRUE(NodeOf(attach, Role::kSender, false).ok());

  *attach.source->address += '/';

  EXPECT_EQ(NodeOf(attach, Role::kSender, false).status().code(), ErrorCode::kInvalidOperation);
}

// Where JMS is served they mean something (JMS-9); else they are mistakes.
TEST(LinkNodeTest, ALinkWithoutAnAddressIsOfJms) {
  const auto kind = [](const Attach& attach, Role own) {
    EXPECT_FALSE(NodeOf(attach, own, false).ok());
    return NodeOf(attach, own, true)->kind;
  };
  Attach attach;
  EXPECT_EQ(kind(attach, Role::kReceiver), NodeKind::kRelay);
  EXPECT_EQ(kind(attach, Role::kSender), NodeKind::kSubscriptionName);
  attach.source.emplace();
  attach.target = Target();
  EXPECT_EQ(kind(attach, Role::kReceiver), NodeKind::kRelay);
  EXPECT_FALSE(NodeOf(attach, Role::kSender, true).ok());
  attach.source->dynamic = true;
  std::get<Target>(*attach.target).dynamic = true;
  EXPECT_EQ(kind(attach, Role::kReceiver), NodeKind::kTemporary);
  EXPECT_EQ(kind(attach, Role::kSender), NodeKind::kTemporary);
  EXPECT_THAT(NodeOf(attach, Role::kSender, true)->rights, ElementsAre(Right::kManage));
}

TEST(LinkNodeTest, ACoordinatorIsNoEntity) {
  Attach attach;
  attach.target = Coordinator();
  const Result<LinkNode> node = NodeOf(attach, Role::kReceiver, false);

  ASSERT_TRUE(node.ok());
  EXPECT_EQ(node->kind, NodeKind::kCoordinator);
  EXPECT_TRUE(node->rights.empty());
}

}  // namespace
}  // namespace wharf::amqp
