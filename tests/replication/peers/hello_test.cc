#include "replication/peers/admission/hello.h"

#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "replication/peers/fields.h"

namespace wharf {
namespace {

Hello Sample() {
  return {.from = {.cluster = *ClusterId::FromText("0123456789abcdef0123456789abcdef"),
                   .node = NodeId(17),
                   .name = "n1"},
          .to = NodeId(18),
          .to_name = "n2",
          .levels = {.in_force = 3, .highest = 4},
          .incarnation = Incarnation(99),
          .traffic = Traffic::kBulk,
          .peer_address = "10.0.0.1:5691",
          .as_of = 12};
}

// Whether this is refused that was whole before.
bool IsRefused(const std::function<void(Hello&)>& spoil) {
  Hello hello = Sample();
  spoil(hello);
  return !DecodeHello(Encode(hello)).ok();
}

TEST(HelloTest, ComesBackAsItWas) { EXPECT_EQ(DecodeHello(Encode(Sample())).value(), Sample()); }

TEST(HelloTest, WhatALaterVersionAddsIsPassedOver) {
  const std::string more = FieldWriter().Text(200, "something new").Take();

  EXPECT_EQ(DecodeHello(more + Encode(Sample()) + more).value(), Sample());
}

TEST(HelloTest, CutAnywhereItIsRefused) {
  const std::string whole = Encode(Sample());

  // Who answers says nothing of traffic, and who has no list of members none of the others.
  const std::size_t with_address = whole.size() - 11;
  const std::size_t with_traffic = with_address - 3 - Sample().peer_address.size();
  const std::set<std::size_t> may_end{with_traffic - 11, with_traffic, with_address};
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(DecodeHello(whole.substr(0, size)).ok(), may_end.count(size) != 0) << size;
  }
}

TEST(HelloTest, EachPartMustBeThereAndPossible) {
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.protocol = 0; }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.oldest_protocol = 0; }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.from.cluster = ClusterId(); }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.from.node = NodeId(); }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.from.name = "No Name"; }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.to = NodeId(); }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.to_name = "x\ny"; }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.levels = {.in_force = 0, .highest = 1}; }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.levels = {.in_force = 3, .highest = 2}; }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.incarnation = Incarnation(); }));
  EXPECT_TRUE(IsRefused([](Hello& hello) { hello.peer_address = std::string(301, 'a'); }));
}

// A version from far away may say everything else in another way.
TEST(HelloTest, OfAProtocolThatIsTooNewOnlyItsNumberIsRead) {
  const std::string newer =
      FieldWriter().Number(1, 9).Number(2, 8).Text(5, "\x1b[31m not a name").Take();

  const Result<Hello> hello = DecodeHello(newer);

  ASSERT_TRUE(hello.ok());
  EXPECT_EQ(hello.value().protocol, 9u);
  EXPECT_EQ(hello.value().oldest_protocol, 8u);
  EXPECT_EQ(hello.value().from.name, "");
}

}  // namespace
}  // namespace wharf
