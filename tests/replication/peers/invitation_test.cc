#include "replication/peers/admission/invitation.h"

#include <gtest/gtest.h>

#include "replication/peers/fields.h"
#include "replication/peers/streams/framed_stream.h"

namespace wharf {
namespace {

Invitation Sample() {
  return {.from_name = "n1",
          .identity = {.cluster = *ClusterId::FromText("0123456789abcdef0123456789abcdef"),
                       .node = NodeId(18),
                       .name = "n2"},
          .level = 3,
          .members = {{.node = NodeId(17), .name = "n1", .peer_address = "127.0.0.1:5691"},
                      {.node = NodeId(18), .name = "n2", .peer_address = "[::1]:5692"}}};
}

bool IsRefused(const std::function<void(Invitation&)>& spoil) {
  Invitation invitation = Sample();
  spoil(invitation);
  return !DecodeInvitation(Encode(invitation)).ok();
}

TEST(InvitationTest, ComesBackAsItWas) {
  EXPECT_EQ(DecodeInvitation(Encode(Sample())).value(), Sample());
}

TEST(InvitationTest, CutWithinAFieldItIsRefused) {
  const std::string whole = Encode(Sample());
  Invitation without_last = Sample();
  without_last.members.pop_back();
  Invitation without_both = without_last;
  without_both.members.clear();

  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<Invitation> read = DecodeInvitation(whole.substr(0, size));
    // Between two fields members may be missing: the checksum of the frame knows better.
    EXPECT_TRUE(!read.ok() || *read == without_last || *read == without_both) << size;
  }
}

TEST(InvitationTest, EachPartMustBeThereAndPossible) {
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.protocol = 0; }));
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.from_name = ""; }));
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.identity.cluster = ClusterId(); }));
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.identity.node = NodeId(); }));
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.identity.name = "../x"; }));
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.level = 0; }));
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.members[1].node = NodeId(); }));
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.members[1].name = ""; }));
  EXPECT_TRUE(IsRefused([](Invitation& one) { one.members[1].peer_address = ""; }));
  EXPECT_TRUE(
      IsRefused([](Invitation& one) { one.members[1].peer_address = std::string(301, 'x'); }));
}

TEST(InvitationTest, TheLargestFitsIntoAHandshakeAndALargerOneIsRefused) {
  Invitation largest = Sample();
  largest.members.assign(kPeersMax, {.node = NodeId(1),
                                     .name = std::string(63, 'n'),
                                     .peer_address = std::string(kPeerAddressBytesMax, 'a')});

  EXPECT_LE(Encode(largest).size(), FramedStream::kHandshakeBytesMax);
  EXPECT_TRUE(DecodeInvitation(Encode(largest)).ok());
  largest.members.push_back(largest.members.front());
  EXPECT_FALSE(DecodeInvitation(Encode(largest)).ok());
}

TEST(InvitationTest, OfAProtocolThatIsTooNewOnlyItsNumberIsRead) {
  const std::string newer = FieldWriter().Number(1, 9).Number(2, 8).Text(3, "\n").Take();

  ASSERT_TRUE(DecodeInvitation(newer).ok());
  EXPECT_EQ(DecodeInvitation(newer).value().oldest_protocol, 8u);
  EXPECT_EQ(DecodeInvitation(newer).value().from_name, "");
}

}  // namespace
}  // namespace wharf
