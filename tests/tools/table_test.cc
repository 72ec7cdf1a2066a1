#include "tools/wharf/terminal/table.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/wharf/text/printable_text.h"

namespace wharf::tool {
namespace {

using Kind = Column::Kind;

const std::vector<Column> kQueues = {{"NAME", Kind::kText}, {"ACTIVE", Kind::kNumber}};

std::string Shown(const std::vector<Column>& columns, Table::Place place,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string shown;
  Table table(columns, place, [&](std::string_view lines) { shown += lines; });
  for (const auto& row : rows) table.Add(row);
  table.End();
  return shown;
}

std::size_t WidestLine(const std::string& shown) {
  std::istringstream lines(shown);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, WidthOf(line));
  return widest;
}

TEST(TableTest, AlignsColumnsToWhatTheyHold) {
  EXPECT_EQ(Shown(kQueues, {}, {{"orders", "12"}, {"a", "1,234,567"}}),
            "NAME       ACTIVE\n"
            "orders         12\n"
            "a       1,234,567\n");
}

TEST(TableTest, ShowsHeadingsOfAnEmptyList) { EXPECT_EQ(Shown(kQueues, {}, {}), "NAME  ACTIVE\n"); }

TEST(TableTest, CutsLongNamesOnATerminalOnly) {
  const std::string name(100, 'n');

  EXPECT_EQ(Shown(kQueues, {.width = 20, .is_terminal = true}, {{name, "1"}, {"b", "2"}}),
            "NAME          ACTIVE\n"
            "nnnnnnnnnnn…       1\n"
            "b                  2\n");
  EXPECT_EQ(Shown(kQueues, {.width = 20}, {{name, "1"}, {"b", "2"}}), "NAME          ACTIVE\n" +
                                                                          name +
                                                                          "       1\n"
                                                                          "b                  2\n");
}

TEST(TableTest, CutsTheWidestTextsFirst) {
  const std::vector<Column> columns = {{"ID", Kind::kText}, {"BODY", Kind::kText}};

  EXPECT_EQ(Shown(columns, {.width = 16, .is_terminal = true}, {{"id-1", std::string(50, 'b')}}),
            "ID    BODY\n"
            "id-1  bbbbbbbbb…\n");
}

TEST(TableTest, LeavesOutColumnsThatCanBeMissedOnANarrowTerminal) {
  const std::vector<Column> columns = {{"NUMBER", Kind::kNumber},
                                       {"STATE", Kind::kWord, /*is_optional=*/true},
                                       {"BODY", Kind::kText}};
  const std::vector<std::vector<std::string>> rows = {{"1", "active", "something long"}};

  EXPECT_EQ(Shown(columns, {.width = 18, .is_terminal = true}, rows),
            "NUMBER  BODY\n"
            "     1  something…\n");
  EXPECT_EQ(Shown(columns, {.width = 18}, rows),
            "NUMBER  STATE   BODY\n"
            "     1  active  something long\n");
}

TEST(TableTest, NoLineIsWiderThanTheTerminal) {
  for (std::size_t width = 1; width < 60; ++width) {
    const std::string shown =
        Shown({{"NUMBER", Kind::kNumber}, {"TIME"}, {"ID", Kind::kText}, {"BODY", Kind::kText}},
              {.width = width, .is_terminal = true},
              {{"1125899906842624", "2026-11-22T04:16:21Z", "订单订单订单", std::string(80, 'b')},
               {"1", "-", "", ""}});
    const std::string prose =
        Shown({{"TIME"}, {"ID", Kind::kText}, {"WHAT", Kind::kProse}},
              {.width = width, .is_terminal = true},
              {{"2026-11-22T04:16:21Z", "orders", "it was 订单订单 " + std::string(80, 'b')}});

    EXPECT_LE(WidestLine(shown), width);
    EXPECT_LE(WidestLine(prose), width);
  }
}

TEST(TableTest, RowsBehindTheFirstKeepToTheColumns) {
  std::vector<std::vector<std::string>> rows(1000, {"orders", "1"});
  rows.push_back({"a much longer name than all the others", "1234567"});

  const std::string shown = Shown(kQueues, {.width = 30, .is_terminal = true}, rows);

  EXPECT_TRUE(shown.ends_with("orders       1\na muc…  1234567\n"))
      << shown.substr(shown.size() - 60);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 1002);
}

TEST(TableTest, WritesLongListsAsTheyCome) {
  std::size_t writes = 0;
  Table table(kQueues, {}, [&](std::string_view) { ++writes; });

  for (int i = 0; i < 300; ++i) table.Add({"orders", "1"});

  EXPECT_EQ(writes, 51u);
}

TEST(TableTest, ProseGoesOnBelowOnATerminalOnly) {
  const std::vector<Column> columns = {
      {"NUMBER", Kind::kNumber}, {"ENTITY", Kind::kText}, {"WHAT", Kind::kProse}};
  const std::vector<std::vector<std::string>> rows = {{"1", "orders", "dead lettered: no stock"},
                                                      {"2", "orders", "sent"}};

  EXPECT_EQ(Shown(columns, {.width = 30, .is_terminal = true}, rows),
            "NUMBER  ENTITY  WHAT\n"
            "     1  orders  dead lettered:\n"
            "                no stock\n"
            "     2  orders  sent\n");
  EXPECT_EQ(Shown(columns, {.width = 30}, rows),
            "NUMBER  ENTITY  WHAT\n"
            "     1  orders  dead lettered: no stock\n"
            "     2  orders  sent\n");
}

TEST(TableTest, ProseWithoutRoomIsCut) {
  const std::vector<Column> columns = {{"NUMBER", Kind::kNumber}, {"WHAT", Kind::kProse}};

  EXPECT_EQ(Shown(columns, {.width = 12, .is_terminal = true}, {{"1", std::string(500, 'w')}}),
            "NUMBER  WHAT\n"
            "     1  www…\n");
}

TEST(TableTest, MakesEveryCellPrintable) {
  EXPECT_EQ(Shown(kQueues, {}, {{"a\x1b[31m\nb  9", "1"}}),
            "NAME             ACTIVE\n"
            "a\\x1b[31m\\nb  9       1\n");
}

}  // namespace
}  // namespace wharf::tool
