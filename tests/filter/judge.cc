#include "tests/filter/judge.h"

#include <gtest/gtest.h>

#include "broker/filter/sql_filter.h"
#include "storage/base/random.h"

namespace wharf {

std::string Judge(const std::string& filter) {
  return Judge(filter, MessageView(SampleOrder(), SampleBroker()));
}

std::string Judge(const std::string& filter, const MessageView& message) {
  const Result<SqlFilter> compiled = SqlFilter::Compile(filter, SampleParameters());
  if (!compiled.ok()) {
    EXPECT_EQ(compiled.status().code(), ErrorCode::kFilterException);
    return compiled.status().message();
  }
  SeededRandom random(1);
  const Result<Truth> truth = compiled->Evaluate(message, random);
  if (!truth.ok()) {
    EXPECT_EQ(truth.status().code(), ErrorCode::kFilterException);
    return truth.status().message();
  }
  switch (*truth) {
    case Truth::kFalse:
      return "F";
    case Truth::kUnknown:
      return "U";
    case Truth::kTrue:
      return "T";
  }
  return {};
}

void ExpectAll(std::initializer_list<Case> cases) {
  for (const auto& [filter, expected] : cases) EXPECT_EQ(Judge(filter), expected) << filter;
}

}  // namespace wharf
