// What `wharf top` makes of what the broker says: rates, order, selection, lines.

#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>
#include <gtest/gtest.h>

#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/top/frame.h"
#include "tools/wharf/top/screen.h"
#include "tools/wharf/top/view.h"

namespace wharf::tool {
namespace {

using KeyKind = Key::Kind;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

constexpr FullScreen::Size kSize{.width = 80, .height = 24};

EntitySample Entity(std::string path, std::int64_t available, std::int64_t numbered = 0) {
  return {.path = std::move(path), .available = available, .numbered = numbered};
}

TopSample SampleAt(int second, std::vector<EntitySample> entities) {
  TopSample sample;
  sample.taken = std::chrono::steady_clock::time_point(std::chrono::seconds(second));
  sample.broker.set_version("0.1.0");
  sample.broker.set_entity_count(static_cast<std::int64_t>(entities.size()));
  sample.entities = std::move(entities);
  return sample;
}

void AddSyncs(v1::BrokerStatistics& broker, std::vector<std::pair<double, std::int64_t>> buckets) {
  v1::DurationHistogram& syncs = *broker.add_histograms();
  syncs.set_name("wharf_sync_seconds");
  for (const auto& [bound, count] : buckets) {
    auto* bucket = syncs.add_buckets();
    bucket->set_at_most_seconds(bound);
    bucket->set_count(count);
    syncs.set_count(syncs.count() + count);
  }
}

std::vector<std::string> NamesOf(const std::vector<EntityRow>& rows) {
  std::vector<std::string> names;
  for (const EntityRow& row : rows) names.push_back(row.path);
  return names;
}

// --- rates

TEST(TopFrameTest, WhatCameAndWhatIsGoneInASecond) {
  const TopSample before = SampleAt(10, {Entity("orders", 100, 500)});

  const TopFrame frame = MakeFrame(&before, SampleAt(20, {Entity("orders", 130, 700)}));

  EXPECT_THAT(frame.entities[0].in, Optional(20.0));
  EXPECT_THAT(frame.entities[0].out, Optional(17.0));
}

TEST(TopFrameTest, WhatOnlyChangesItsStateIsNotGone) {
  const TopSample before = SampleAt(0, {Entity("orders", 10, 10)});
  EntitySample now = Entity("orders", 4, 10);
  now.locked = 5;
  now.dead = 1;

  const TopFrame frame = MakeFrame(&before, SampleAt(1, {now}));

  EXPECT_THAT(frame.entities[0].out, Optional(0.0));
}

TEST(TopFrameTest, OfWhatWasNotThereOrIsAnotherNowNothingIsKnown) {
  const TopSample before = SampleAt(0, {Entity("orders", 10, 100)});

  const TopFrame frame =
      MakeFrame(&before, SampleAt(1, {Entity("bills", 1, 1), Entity("orders", 0, 3)}));

  EXPECT_EQ(frame.entities[0].in, std::nullopt);
  EXPECT_EQ(frame.entities[1].in, std::nullopt);
  EXPECT_EQ(frame.entities[1].out, std::nullopt);
  EXPECT_EQ(MakeFrame(nullptr, before).entities[0].in, std::nullopt);
}

TEST(TopFrameTest, ABrokerThatBeganAnewHasNoRatesAtFirst) {
  TopSample before = SampleAt(0, {});
  before.broker.set_sent_message_count(1000);
  TopSample now = SampleAt(2, {});
  now.broker.set_sent_message_count(10);
  EXPECT_EQ(MakeFrame(&before, now).sent, std::nullopt);

  now.broker.set_sent_message_count(1500);
  EXPECT_THAT(MakeFrame(&before, now).sent, Optional(250.0));
}

TEST(TopFrameTest, OfSyncsThoseCountThatCameSince) {
  TopSample before = SampleAt(0, {});
  AddSyncs(before.broker, {{0.001, 1000}, {0.01, 0}, {0.1, 0}});
  TopSample now = SampleAt(1, {});
  AddSyncs(now.broker, {{0.001, 1000}, {0.01, 98}, {0.1, 2}});

  const TopFrame frame = MakeFrame(&before, now);

  EXPECT_THAT(frame.sync_p50, Optional(0.01));
  EXPECT_THAT(frame.sync_p99, Optional(0.1));
}

// --- order

TEST(TopFrameTest, NumbersBeginWithTheLargestAndNamesWithTheFirst) {
  std::vector<EntityRow> rows =
      MakeFrame(nullptr, SampleAt(0, {Entity("b", 1), Entity("a", 1), Entity("c", 7)})).entities;
  Sort(rows, TopColumn::kAvailable, false);
  EXPECT_THAT(NamesOf(rows), ElementsAre("c", "a", "b"));
  Sort(rows, TopColumn::kAvailable, true);
  EXPECT_THAT(NamesOf(rows), ElementsAre("a", "b", "c"));
  Sort(rows, TopColumn::kName, false);
  EXPECT_THAT(NamesOf(rows), ElementsAre("a", "b", "c"));
  Sort(rows, TopColumn::kName, true);
  EXPECT_THAT(NamesOf(rows), ElementsAre("c", "b", "a"));
}

TEST(TopFrameTest, WhatIsNotKnownComesLast) {
  std::vector<EntityRow> rows =
      MakeFrame(nullptr, SampleAt(0, {Entity("a", 1), Entity("b", 1)})).entities;
  rows[1].age = 0.0;
  Sort(rows, TopColumn::kOldest, false);
  EXPECT_THAT(NamesOf(rows), ElementsAre("b", "a"));
}

TEST(TopFrameTest, EachColumnHasAName) {
  for (std::size_t i = 0; i < kTopColumnCount; ++i) {
    const auto column = static_cast<TopColumn>(i);
    EXPECT_THAT(TopColumnOf(NameOf(column)), Optional(column));
  }
  EXPECT_EQ(TopColumnOf("colour"), std::nullopt);
}

TEST(TopFrameTest, AFilterTakesNoHeedOfCase) {
  const auto rows =
      MakeFrame(nullptr, SampleAt(0, {Entity("Orders", 1), Entity("bills", 1)})).entities;
  EXPECT_THAT(NamesOf(Filtered(rows, "ORD")), ElementsAre("Orders"));
  EXPECT_EQ(Filtered(rows, "").size(), 2U);
  EXPECT_EQ(Filtered(rows, "x").size(), 0U);
}

// --- keys

class TopViewTest : public ::testing::Test {
 protected:
  TopViewTest() {
    view_.SetRoom(3);
    Show({Entity("a", 5), Entity("b", 4), Entity("c", 3), Entity("d", 2), Entity("e", 1)});
  }
  void Show(std::vector<EntitySample> entities) {
    view_.SetFrame(MakeFrame(nullptr, SampleAt(0, std::move(entities))));
  }
  void Press(KeyKind kind) { view_.OnKey({kind}); }
  void Type(std::string_view letters) {
    for (const char letter : letters) view_.OnKey({KeyKind::kText, std::string(1, letter)});
  }
  std::string Selected() const { return view_.rows()[view_.selected()].path; }

  TopView view_{TopView::Look()};
};

TEST_F(TopViewTest, TheSelectionMovesAndTakesTheWindowWithIt) {
  EXPECT_EQ(Selected(), "a");
  Press(KeyKind::kDown);
  EXPECT_EQ(Selected(), "b");
  Press(KeyKind::kPageDown);
  EXPECT_EQ(Selected(), "e");
  EXPECT_EQ(view_.first(), 2U);
  Press(KeyKind::kDown);
  EXPECT_EQ(Selected(), "e");
  Press(KeyKind::kHome);
  EXPECT_EQ(Selected(), "a");
  EXPECT_EQ(view_.first(), 0U);
  Press(KeyKind::kUp);
  EXPECT_EQ(Selected(), "a");
  Press(KeyKind::kEnd);
  Press(KeyKind::kPageUp);
  EXPECT_EQ(Selected(), "b");
}

TEST_F(TopViewTest, TheSelectionStaysOnAnEntityThatMoves) {
  Press(KeyKind::kDown);
  Show({Entity("a", 1), Entity("b", 2), Entity("c", 3)});
  EXPECT_EQ(Selected(), "b");
  Show({Entity("a", 1), Entity("c", 3)});
  EXPECT_EQ(view_.rows().size(), 2U);
  Show({});
  Press(KeyKind::kDown);
  Press(KeyKind::kEnter);
  EXPECT_EQ(view_.look().page, TopView::Page::kEntities);
}

TEST_F(TopViewTest, WhoHasNotMovedSeesTheTop) {
  Show({Entity("a", 1), Entity("z", 9)});
  EXPECT_EQ(Selected(), "z");
}

TEST_F(TopViewTest, AColumnByItsLetterOrStepByStep) {
  Type("N");
  EXPECT_EQ(view_.look().column, TopColumn::kName);
  Type("N");
  EXPECT_TRUE(view_.look().is_reversed);
  EXPECT_EQ(view_.rows()[0].path, "e");
  Type("I");
  EXPECT_EQ(view_.look().column, TopColumn::kIn);
  EXPECT_FALSE(view_.look().is_reversed);
  Press(KeyKind::kF6);
  EXPECT_EQ(view_.look().column, TopColumn::kOut);
  Type("<<");
  EXPECT_EQ(view_.look().column, TopColumn::kDead);
  Type("R");
  EXPECT_TRUE(view_.look().is_reversed);
}

TEST_F(TopViewTest, AFilterIsTypedKeptAndCleared) {
  Type("/qN");  // Letters now, and no keys.
  EXPECT_FALSE(view_.is_ended());
  EXPECT_EQ(view_.look().filter, "qN");
  Press(KeyKind::kBackspace);
  Press(KeyKind::kBackspace);
  Type("c");
  EXPECT_EQ(view_.rows().size(), 1U);
  Press(KeyKind::kEnter);
  EXPECT_EQ(view_.look().filter, "c");
  Press(KeyKind::kEscape);
  EXPECT_EQ(view_.rows().size(), 5U);
}

TEST_F(TopViewTest, EnterShowsTheLocksOfTheSelectedOne) {
  Press(KeyKind::kDown);
  Press(KeyKind::kEnter);
  EXPECT_THAT(view_.locks_of(), Optional(std::string("b")));
  Show({Entity("a", 9)});  // It is gone meanwhile.
  EXPECT_THAT(view_.locks_of(), Optional(std::string("b")));
  Press(KeyKind::kEscape);
  EXPECT_EQ(view_.locks_of(), std::nullopt);
  EXPECT_EQ(Selected(), "a");
}

TEST_F(TopViewTest, ThreeKeysEndIt) {
  for (const Key& key : {Key{KeyKind::kText, "q"}, Key{KeyKind::kF10}, Key{KeyKind::kInterrupt}}) {
    TopView view{TopView::Look()};
    view.OnKey(key);
    EXPECT_TRUE(view.is_ended());
  }
  Type("/");
  Press(KeyKind::kInterrupt);
  EXPECT_TRUE(view_.is_ended());
}

// --- lines

std::string TextOf(const std::vector<ScreenLine>& lines) {
  std::string text;
  for (const ScreenLine& line : lines) text += line.text + "\n";
  return text;
}

TEST(TopScreenTest, NumbersHaveFewLetters) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(2.44), "2.4");
  EXPECT_EQ(ShortNumber(99'999), "99999");
  EXPECT_EQ(ShortNumber(100'000), "100k");
  EXPECT_EQ(ShortNumber(1'234'567), "1.23M");
  EXPECT_EQ(ShortNumber(999'900), "1.00M");
  EXPECT_EQ(ShortNumber(45.6e9), "45.6G");
  EXPECT_EQ(ShortTime(59.9), "59s");
  EXPECT_EQ(ShortTime(725), "12m05s");
  EXPECT_EQ(ShortTime(4 * 3600 + 7 * 60), "4h07m");
  EXPECT_EQ(ShortTime(12 * 86400 + 3 * 3600), "12d03h");
  EXPECT_EQ(ShortBytes(512), "512 B");
  EXPECT_EQ(ShortBytes(1536), "1.5 KiB");
  EXPECT_EQ(ShortBytes(1023), "1.0 KiB");
}

TEST(TopScreenTest, EveryLineFitsAndTheLastIsTheFooter) {
  std::vector<EntitySample> entities;
  for (int i = 0; i < 100; ++i) {
    entities.push_back(Entity(std::to_string(i) + std::string(200, 'n'), 123'456'789, 1));
  }
  for (const std::size_t width : {10, 40, 80, 133, 300}) {
    for (const std::size_t height : {2, 8, 24, 60}) {
      TopView view{TopView::Look()};
      view.SetFrame(MakeFrame(nullptr, SampleAt(0, entities)));
      const FullScreen::Size size{width, height};
      const Contact contact{
          .address = "127.0.0.1:5680",
          .trouble = {ErrorCode::kServiceCommunicationProblem, std::string(400, 'x')}};
      view.SetRoom(RoomForRows(view, contact, size));
      for (const KeyKind kind : {KeyKind::kRedraw, KeyKind::kEnter, KeyKind::kF1}) {
        view.OnKey({kind});
        const auto lines = Draw(view, contact, nullptr, size);
        ASSERT_EQ(lines.size(), height);
        for (const ScreenLine& line : lines) EXPECT_LE(WidthOf(line.text), width) << line.text;
        EXPECT_EQ(lines.back().look, ScreenLine::Look::kReverse);
      }
    }
  }
}

TEST(TopScreenTest, SmallWindowsShowRowsBeforeTheySpeakOfTheBroker) {
  std::vector<EntitySample> entities;
  for (int i = 0; i < 10; ++i) entities.push_back(Entity("orders-" + std::to_string(i), i));
  TopView view{TopView::Look()};
  view.SetFrame(MakeFrame(nullptr, SampleAt(0, entities)));
  for (const bool is_well : {true, false}) {
    const Contact contact{.trouble = is_well ? Status() : Status(ErrorCode::kGeneralError, "x")};
    const auto shown = [&](std::size_t height) {
      view.SetRoom(RoomForRows(view, contact, {80, height}));
      return TextOf(Draw(view, contact, nullptr, {80, height}));
    };
    const std::size_t trouble = is_well ? 0 : 1;
    EXPECT_THAT(shown(3 + trouble), HasSubstr("orders-9"));
    EXPECT_THAT(shown(8 + trouble), AllOf(HasSubstr("orders-5"), Not(HasSubstr("wharf top"))));
    EXPECT_THAT(shown(12 + trouble),
                AllOf(HasSubstr("orders-5"), HasSubstr("wharf top"), HasSubstr("memory:")));
    EXPECT_EQ(shown(6 + trouble).find("x\n") != std::string::npos, !is_well);
  }
}

TEST(TopScreenTest, NamesAreCutInTheMiddle) {
  const auto name_of = [](const std::string& path) {
    const std::string line = LineOf(EntityRow{Entity(path, 1)}, 80);
    return line.substr(0, line.find(' '));
  };
  const std::string north = name_of("sales-of-the-north/Subscriptions/accounting");
  const std::string south = name_of("sales-of-the-north/Subscriptions/archive");
  EXPECT_THAT(north, AllOf(::testing::StartsWith("sales-of-the-"), HasSubstr("…"),
                           ::testing::EndsWith("s/accounting")));
  EXPECT_THAT(south, ::testing::EndsWith("/archive"));
  EXPECT_EQ(WidthOf(north), WidthOf(south));
  EXPECT_EQ(name_of("orders"), "orders");
  EXPECT_LE(
      WidthOf(LineOf(EntityRow{Entity(std::string(90, 'n') + "東京東京東京東京東京東京", 1)}, 80)),
      80U);
}

TEST(TopScreenTest, ColumnsThatCanBeMissedGoFirst) {
  const TopView::Look look{.column = TopColumn::kIn};
  EXPECT_THAT(HeadingOf(look, 150),
              AllOf(HasSubstr("DEFERRED"), HasSubstr("SIZE"), HasSubstr("IN/Sv")));
  EXPECT_THAT(HeadingOf(look, 80), AllOf(HasSubstr("AVAILABLE"), HasSubstr("LOCKED"),
                                         HasSubstr("OLDEST"), Not(HasSubstr("DEFERRED"))));
  EXPECT_THAT(HeadingOf(look, 50),
              AllOf(HasSubstr("AVAILABLE"), HasSubstr("OUT/S"), Not(HasSubstr("LOCKED"))));
  EXPECT_THAT(HeadingOf({.column = TopColumn::kName, .is_reversed = true}, 80), HasSubstr("NAME^"));
}

TEST(TopScreenTest, ARowStandsUnderItsHeadings) {
  EntityRow row{Entity("orders", 12, 100)};
  row.locked = 3;
  row.in = 7.5;
  row.age = 65;
  const std::string heading = HeadingOf({.column = TopColumn::kName}, 120);
  const std::string line = LineOf(row, 120);
  for (const auto& [title, value] : {std::pair("AVAILABLE", "12"),
                                     {"LOCKED", "3"},
                                     {"IN/S", "7.5"},
                                     {"OUT/S", "-"},
                                     {"OLDEST", "1m05s"}}) {
    const std::size_t end = heading.find(title) + std::string_view(title).size();
    const std::string cell = line.substr(0, end);
    EXPECT_TRUE(cell.ends_with(std::string(" ") + value)) << title << "\n"
                                                          << heading << "\n"
                                                          << line;
  }
}

TEST(TopScreenTest, NamesAndErrorsAreHarmless) {
  TopView view{TopView::Look()};
  view.SetFrame(MakeFrame(nullptr, SampleAt(0, {Entity("a\x1b]0;owned\x07", 1)})));
  v1::LockProperties lock;
  lock.set_session_id("s\x1b[2J");
  lock.mutable_holder()->set_peer("p\x1b[2J");
  const LocksSample locks{.path = "a\x1b]0;owned\x07", .locks = {lock}};
  const Contact contact{.trouble = {ErrorCode::kGeneralError, "x\x1b[2J"}};
  std::string shown = TextOf(Draw(view, contact, &locks, kSize));
  view.OnKey({KeyKind::kEnter});
  shown += TextOf(Draw(view, contact, &locks, {400, 24}));

  EXPECT_EQ(shown.find('\x1b'), std::string::npos);
  EXPECT_THAT(shown, AllOf(HasSubstr("a\\x1b]0;owned\\x07"), HasSubstr("session s\\x1b[2J"),
                           HasSubstr("p\\x1b[2J"), HasSubstr("x\\x1b[2J")));
}

TEST(TopScreenTest, ABrokerThatIsGoneIsSaidSo) {
  TopView view{TopView::Look()};
  Contact contact{.address = "127.0.0.1:5680"};
  EXPECT_THAT(TextOf(Draw(view, contact, nullptr, kSize)), Not(HasSubstr("does not answer")));
  contact.trouble = {ErrorCode::kServiceCommunicationProblem, "connection refused"};
  contact.silent_for = std::chrono::seconds(12);
  EXPECT_THAT(TextOf(Draw(view, contact, nullptr, {200, 24})),
              HasSubstr("the broker does not answer for 12 s, and is asked again: connection"));
}

}  // namespace
}  // namespace wharf::tool
