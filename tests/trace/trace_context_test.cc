#include "broker/trace/trace_context.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/trace/sample_span.h"

namespace wharf::trace {
namespace {

const std::string kGood = kSampled;

std::string With(std::size_t at, const std::string& text) {
  std::string changed = kGood;
  return changed.replace(at, text.size(), text);
}

TEST(TraceContextTest, ATraceparentHasItsIdsAndTheFlag) {
  const auto context = ParseTraceparent(kGood);

  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace_id.front(), 0x0a);
  EXPECT_EQ(context->trace_id.back(), 0x9c);
  EXPECT_EQ(context->span_id.front(), 0xb7);
  EXPECT_EQ(context->span_id.back(), 0x31);
  EXPECT_TRUE(context->is_sampled);
  EXPECT_FALSE(ParseTraceparent(With(53, "00"))->is_sampled);
  EXPECT_FALSE(ParseTraceparent(With(53, "fe"))->is_sampled);
  EXPECT_TRUE(ParseTraceparent(With(53, "03"))->is_sampled);
}

TEST(TraceContextTest, WhatBreaksTheRulesIsNone) {
  for (const std::string& bad : {std::string(),
                                 std::string("00"),
                                 kGood.substr(0, 54),
                                 kGood + "0",
                                 kGood + "-00",
                                 std::string(64 * 1024, '0'),
                                 kGood + std::string(64 * 1024, 'a'),
                                 With(0, "ff"),
                                 With(0, "0x"),
                                 With(3, "0A"),
                                 With(3, std::string(32, '0')),
                                 With(36, std::string(16, '0')),
                                 With(36, "B7"),
                                 With(53, "0g"),
                                 With(53, " 1"),
                                 With(2, "_"),
                                 With(35, "0"),
                                 With(52, "0"),
                                 With(3, std::string(1, '\0')),
                                 std::string(55, '-'),
                                 std::string("|4bf92f3577b34da6.1.")}) {
    EXPECT_FALSE(ParseTraceparent(bad)) << bad.substr(0, 80);
  }
}

TEST(TraceContextTest, ALaterVersionMayHaveMoreBehindADash) {
  EXPECT_TRUE(ParseTraceparent(With(0, "01")));
  EXPECT_TRUE(ParseTraceparent(With(0, "fe") + "-what-comes"));
  EXPECT_TRUE(ParseTraceparent(With(0, "01") + "-" + std::string(64 * 1024, 'x')));
  EXPECT_FALSE(ParseTraceparent(With(0, "01") + ".what"));
}

TEST(TraceContextTest, AMessageSaysItByOneOfTwoProperties) {
  const std::string other = With(36, "00f067aa0ba902b7");

  EXPECT_EQ(ContextOf({{"a", std::string("b")}}), std::nullopt);
  EXPECT_EQ(ContextOf({{"Diagnostic-Id", kGood}}), ParseTraceparent(kGood));
  EXPECT_EQ(ContextOf({{"Diagnostic-Id", other}, {"traceparent", kGood}}), ParseTraceparent(kGood));
  EXPECT_EQ(ContextOf({{"traceparent", std::string("?")}, {"Diagnostic-Id", other}}),
            ParseTraceparent(other));
  EXPECT_EQ(ContextOf({{"traceparent", std::int32_t{1}}}), std::nullopt);
  EXPECT_EQ(ContextOf({{"Traceparent", kGood}}), std::nullopt);
}

TEST(TraceContextTest, ATracestateComesAlongIfItIsShortAndPrintable) {
  const auto state_of = [](const std::string& state) {
    return ContextOf({{"tracestate", state}, {"traceparent", kGood}})->state;
  };

  EXPECT_EQ(state_of("shop=1,bank=t61r"), "shop=1,bank=t61r");
  EXPECT_EQ(state_of(std::string(512, 'a')).size(), 512u);
  EXPECT_EQ(state_of(std::string(513, 'a')), "");
  EXPECT_EQ(state_of("a=\xff"), "");
  EXPECT_EQ(state_of("a=1\nb"), "");
}

}  // namespace
}  // namespace wharf::trace
