#include "tools/wharf/transfer/made_id.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tools/wharf/messages/message_json.h"

namespace wharf::tool {
namespace {

std::string IdOf(const std::string& text) {
  const Result<Json> line = MessageJsonOf(text);
  const Result<std::string> id = MakeId(*line, *MessageFromJson(*line));
  EXPECT_TRUE(id.ok()) << id.status().message();
  return id.ok() ? *id : "";
}

constexpr const char* kTime = R"("enqueued_time":"2026-01-31T12:00:00.000001Z")";

std::string Line(const std::string& entity, int number, const std::string& rest) {
  return R"({"sequence_number":)" + std::to_string(number) + "," + kTime +
         (entity.empty() ? "" : R"(,"entity_path":")" + entity + "\"") + "," + rest + "}";
}

// Each entity counts for itself, and what one turn stores has one time.
TEST(MadeIdTest, DifferentMessagesHaveDifferentIds) {
  const std::set<std::string> ids = {
      IdOf(Line("q1", 1, R"("body":"apple")")),
      IdOf(Line("q2", 1, R"("body":"apple")")),
      IdOf(Line("q1", 1, R"("body":"pear")")),
      IdOf(Line("q1", 2, R"("body":"apple")")),
      IdOf(Line("", 1, R"("body":"apple")")),
      IdOf(Line("", 1, R"("body":"pear")")),
      IdOf(Line("q1", 1, R"("body":"apple","subject":"x")")),
  };

  EXPECT_EQ(ids.size(), 7U);
}

TEST(MadeIdTest, OneMessageHasOneIdHoweverItIsWritten) {
  const std::string properties = R"("application_properties":{"a":1,"b":2,"c":3})";
  const std::string turned = R"("application_properties":{"c":3,"b":2,"a":1})";

  EXPECT_EQ(IdOf(Line("Orders", 7, properties)), IdOf(Line("orders", 7, turned)));
  // What has happened to it since does not count.
  EXPECT_EQ(IdOf(Line("orders", 7, R"("state":"deferred","delivery_count":3)")),
            IdOf(Line("orders", 7, R"("delivery_count":1)")));
}

// Of another version, too: an import that is repeated must not double anything.
TEST(MadeIdTest, TheIdOfAMessageStays) {
  EXPECT_EQ(IdOf(Line("orders", 7, R"("body":"x")")),
            "exported-7-a4313b3587e74cc515109539a75a26eb");
}

TEST(MadeIdTest, WhatIsNoExportHasNone) {
  const Json line = Json::parse(R"({"sequence_number":7,"body":"x"})");

  EXPECT_EQ(MakeId(line, {}).status().code(), ErrorCode::kArgumentError);
}

}  // namespace
}  // namespace wharf::tool
