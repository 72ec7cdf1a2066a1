#include "broker/reading/page_filter.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/reading/peek_reader.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr LaneId kLane{EntityId(1), LaneKind::kMain};
constexpr SequenceNumber kEnd{1000};

PageCondition Where(std::string text) {
  auto filter = PageCondition::FilterOf(std::move(text));
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return {*std::move(filter), 1};
}

class PageFilterTest : public ::testing::Test {
 protected:
  void Put(Table table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(IdOf(table), key, value);
    ASSERT_TRUE(store_.Apply(batch).ok());
  }
  // With the property n = number, and what else there is.
  static StoredMessage Numbered(std::uint64_t number, PropertyMap properties = {}) {
    StoredMessage stored;
    stored.facts.size = 10;
    stored.message.application_properties = std::move(properties);
    stored.message.application_properties.emplace_back("n", static_cast<std::int64_t>(number));
    return stored;
  }
  void PutMessage(std::uint64_t number, const StoredMessage& stored) {
    Put(Table::kMessages, MessageKey(kLane, SequenceNumber(number)), EncodeMessage(stored));
  }
  void PutMessages(std::uint64_t count, const PropertyMap& properties = {}) {
    for (std::uint64_t number = 1; number <= count; ++number) {
      PutMessage(number, Numbered(number, properties));
    }
  }
  void PutStanding(Standing standing, std::uint64_t number, const std::string& row) {
    Put(Table::kDelivery, DeliveryKey(kLane, standing, SequenceNumber(number)), row);
  }

  static PeekRange RangeOf(const PageCondition& condition, std::uint64_t from = 0) {
    constexpr std::size_t kUnbounded = std::size_t{1} << 40;
    PeekRange range{kLane, SequenceNumber(from), {}, PeekFilter::kAll, 250, kUnbounded};
    range.condition = condition;
    return range;
  }
  PeekPage Peek(const PageCondition& condition, std::uint64_t from = 0) {
    auto page = ReadPeek(*store_.View(), RangeOf(condition, from));
    EXPECT_TRUE(page.ok()) << page.status().ToString();
    return *std::move(page);
  }
  ScanPage Scan(const PageCondition& condition, std::uint64_t from = 0,
                std::size_t rows_max = 1000) {
    auto page = ScanLane(*store_.View(), {kLane, SequenceNumber(from), kEnd, rows_max, condition});
    EXPECT_TRUE(page.ok()) << page.status().ToString();
    return *std::move(page);
  }
  template <typename Page>
  static std::vector<std::uint64_t> Numbers(const Page& page) {
    std::vector<std::uint64_t> numbers;
    for (const auto& shown : page.messages) numbers.push_back(shown.message->number.value());
    return numbers;
  }
  // What a walk over all pages finds, and how many pages it takes.
  std::vector<std::uint64_t> Walk(const PageCondition& condition, int& pages) {
    std::vector<std::uint64_t> found;
    std::optional<SequenceNumber> from = SequenceNumber();
    for (pages = 0; from; ++pages) {
      const PeekPage page = Peek(condition, from->value());
      for (const std::uint64_t number : Numbers(page)) found.push_back(number);
      EXPECT_TRUE(!page.next || *page.next > *from);
      from = page.next;
    }
    return found;
  }

  MemoryStore store_;
};

TEST_F(PageFilterTest, AnEmptyTextIsNoFilter) {
  PutMessages(3);

  EXPECT_EQ(*PageCondition::FilterOf(""), nullptr);
  EXPECT_THAT(Numbers(Peek({})), ElementsAre(1, 2, 3));
  EXPECT_THAT(Numbers(Scan({})), ElementsAre(1, 2, 3));
}

TEST_F(PageFilterTest, ATextThatIsNoFilterIsRefused) {  // RUL-11, SQL-24
  EXPECT_EQ(PageCondition::FilterOf(" ").status().code(), ErrorCode::kFilterException);
  EXPECT_EQ(PageCondition::FilterOf("n =").status().code(), ErrorCode::kFilterException);
  const std::string longest = "n = 1" + std::string(1024 - 5, ' ');
  EXPECT_TRUE(PageCondition::FilterOf(longest).ok());
  EXPECT_EQ(PageCondition::FilterOf(longest + ' ').status().code(), ErrorCode::kFilterException);
}

TEST_F(PageFilterTest, APageShowsWhatTheFilterTakes) {  // BRW-1, SQL-23
  PutMessages(5);

  EXPECT_THAT(Numbers(Peek(Where("n > 3"))), ElementsAre(4, 5));
  EXPECT_THAT(Numbers(Peek(Where("n > 3 AND missing = 1"))), IsEmpty());
  EXPECT_THAT(Numbers(Peek(Where("sys.SequenceNumber % 2 = 0"))), ElementsAre(2, 4));
}

TEST_F(PageFilterTest, AMessageThatCannotBeReckonedWithIsNotTaken) {  // BRW-1, RDR-3
  PutMessages(4);

  EXPECT_THAT(Numbers(Peek(Where("6 / (n - 2) >= 3"))), ElementsAre(3, 4));
  const ScanPage scanned = Scan(Where("6 / (n - 2) >= 3"));
  EXPECT_THAT(Numbers(scanned), ElementsAre(3, 4));
  EXPECT_EQ(scanned.looked_at, 4U);
}

TEST_F(PageFilterTest, AScanTellsHowManyItLookedAtAndWhereToGoOn) {  // JOB-1
  PutMessages(5);

  const ScanPage first = Scan(Where("n = 1 OR n = 4"), 0, 3);
  EXPECT_THAT(Numbers(first), ElementsAre(1));
  EXPECT_EQ(first.looked_at, 3U);
  EXPECT_EQ(first.next, SequenceNumber(4));
  const ScanPage second = Scan(Where("n = 1 OR n = 4"), 4, 3);
  EXPECT_THAT(Numbers(second), ElementsAre(4));
  EXPECT_EQ(second.looked_at, 2U);
  EXPECT_EQ(second.next, std::nullopt);
}

TEST_F(PageFilterTest, StandingsAreSeen) {  // SQL-25, STL-7
  PutMessages(5);
  const Delivery thrice{3, nullptr};
  const Delivery changed{1, std::make_shared<const PropertyMap>(PropertyMap{{"n", true}})};
  PutStanding(Standing::kReturned, 1, EncodeReturned(thrice, {}));
  PutStanding(Standing::kDeferred, 2, EncodeReturned(thrice, {}));
  PutStanding(Standing::kDelayed, 3, EncodeDelayed(thrice, {}, Timestamp()));
  Lock lock;
  lock.number = SequenceNumber(4);
  lock.delivery = changed;
  PutStanding(Standing::kLocked, 4, EncodeLocked({LockToken(1, 1), lock}));

  for (const auto& [text, numbers] :
       std::map<std::string, std::vector<std::uint64_t>>{{"sys.DeliveryCount = 3", {1, 2, 3}},
                                                         {"sys.DeliveryCount = 0", {5}},
                                                         {"sys.State = 0", {1, 3, 4, 5}},
                                                         {"sys.State = 1", {2}},
                                                         {"n = TRUE", {4}},
                                                         {"n = 4", {}}}) {
    EXPECT_EQ(Numbers(Peek(Where(text))), numbers) << text;
    EXPECT_EQ(Numbers(Scan(Where(text))), numbers) << text;
  }
}

TEST_F(PageFilterTest, AScheduledMessageSaysSo) {  // BRW-1, SCH-5
  PutMessages(2);
  Put(Table::kScheduled, ScheduledKey(kLane.entity, SequenceNumber(3)), EncodeMessage(Numbered(3)));

  EXPECT_THAT(Numbers(Peek(Where("sys.State = 2"))), ElementsAre(3));
  EXPECT_THAT(Numbers(Peek(Where("n > 1"))), ElementsAre(2, 3));
  EXPECT_THAT(Numbers(Peek(Where("sys.ExpiresAtUtc IS NULL"))), ElementsAre(3));
}

TEST_F(PageFilterTest, BodiesAreReadOfWhatIsShownOnly) {  // RUL-7
  const BodyRef body{EntityId(1), SequenceNumber(1), 6};
  Put(Table::kBodies, BodyKey(body, 0), "abcdef");
  StoredMessage whole = Numbered(1);
  whole.facts.body_ref = body;
  PutMessage(1, whole);
  StoredMessage without = Numbered(2);
  without.facts.body_ref = BodyRef{EntityId(1), SequenceNumber(2), 6};
  PutMessage(2, without);

  EXPECT_EQ(Peek(Where("n = 1")).messages.at(0).message->message.body, "abcdef");
  const auto all = ReadPeek(*store_.View(), RangeOf({}));
  ASSERT_TRUE(all.ok() && all->messages.size() == 2);
  EXPECT_EQ(all->messages[0].unreadable, "");
  EXPECT_EQ(all->messages[1].unreadable, "the body of message 2 has 0 bytes instead of 6");
}

TEST_F(PageFilterTest, APageEndsWhenItHasCostEnough) {  // BRW-1
  PutMessages(60, {{"text", std::string(16000, 'x')}});
  const PageCondition dear = Where("text LIKE '" + std::string(1000, 'z') + "' OR n = 50");

  int pages = 0;
  EXPECT_THAT(Walk(dear, pages), ElementsAre(50));
  EXPECT_THAT(pages, ::testing::AllOf(::testing::Gt(5), ::testing::Lt(20)));
  const ScanPage scanned = Scan(dear);
  EXPECT_LT(scanned.looked_at, 30U);
  EXPECT_EQ(scanned.next, SequenceNumber(scanned.looked_at + 1));
}

TEST_F(PageFilterTest, ALikeThatIsRefusedCostsNothing) {  // BRW-1
  PutMessages(60, {{"text", std::string(20000, 'x')}});

  int pages = 0;
  EXPECT_THAT(Walk(Where("text LIKE text OR n = 50"), pages), IsEmpty());
  EXPECT_EQ(pages, 1);
}

TEST_F(PageFilterTest, APageEndsWhenItHasLookedAtManyBytes) {  // BRW-1
  PutMessages(300, {{"text", std::string(60000, 'x')}});

  int pages = 0;
  EXPECT_THAT(Walk(Where("n = 299"), pages), ElementsAre(299));
  EXPECT_EQ(pages, 2);
}

TEST_F(PageFilterTest, NewidIsNewForEachMessage) {  // SQL-22
  PutMessages(3);

  EXPECT_THAT(Numbers(Peek(Where("newid() <> newid()"))), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace wharf
