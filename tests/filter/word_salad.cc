#include "tests/filter/word_salad.h"

#include <cstdio>
#include <cstdlib>
#include <iterator>

#include <fmt/core.h>

#include "broker/filter/sql_action.h"
#include "broker/filter/sql_filter.h"
#include "tests/filter/sample_order.h"

namespace wharf {
namespace {

constexpr const char* kWords[] = {"AND",
                                  "OR",
                                  "NOT",
                                  "IN",
                                  "LIKE",
                                  "ESCAPE",
                                  "IS",
                                  "NULL",
                                  "EXISTS",
                                  "TRUE",
                                  "FALSE",
                                  "SET",
                                  "REMOVE",
                                  "=",
                                  "<>",
                                  "!=",
                                  "<",
                                  "<=",
                                  ">",
                                  ">=",
                                  "+",
                                  "-",
                                  "*",
                                  "/",
                                  "%",
                                  "(",
                                  ")",
                                  ",",
                                  ".",
                                  ";",
                                  "sys",
                                  "user",
                                  "Label",
                                  "color",
                                  "size",
                                  "missing",
                                  "cost",
                                  "noon",
                                  "minute",
                                  "u64max",
                                  "[two words]",
                                  "\"a\"\"b\"",
                                  "'red'",
                                  "'%r_d%'",
                                  "'!'",
                                  "''",
                                  "0",
                                  "1",
                                  "2.5",
                                  "1e3",
                                  "9223372036854775807",
                                  "9223372036854775808",
                                  "@color",
                                  "@ten",
                                  "@unknown",
                                  "newid()",
                                  "p(",
                                  "property('color')",
                                  "EXISTS(color)",
                                  "sys.Label",
                                  "sys.TimeToLive",
                                  "SET a =",
                                  "\xC3\xA4",
                                  "'"};

constexpr const char* kLeaves[] = {"color",
                                   "size",
                                   "quantity",
                                   "missing",
                                   "nothing",
                                   "price",
                                   "cost",
                                   "noon",
                                   "later",
                                   "minute",
                                   "paid",
                                   "id",
                                   "u64max",
                                   "i64min",
                                   "letter",
                                   "sys.Label",
                                   "sys.TimeToLive",
                                   "sys.To",
                                   "sys.State",
                                   "[two words]",
                                   "'red'",
                                   "'%e_'",
                                   "''",
                                   "0",
                                   "1",
                                   "7",
                                   "2.5",
                                   "NULL",
                                   "TRUE",
                                   "@color",
                                   "@ten",
                                   "@noon",
                                   "newid()",
                                   "p('color')",
                                   "p(which)",
                                   "p('sys.Label')"};

void Require(bool holds, const std::string& text) {
  if (holds) return;
  fmt::print(stderr, "this text does what no text may do: {}\n", text);
  std::abort();
}

bool IsClean(const Status& status, ErrorCode expected) {
  return status.ok() || (status.code() == expected && !status.message().empty());
}

}  // namespace

std::string WordSalad::Words() {
  std::string text;
  const std::uint64_t count = 1 + Below(12);
  for (std::uint64_t i = 0; i < count; ++i) {
    text += kWords[Below(std::size(kWords))];
    if (Below(8) != 0) text += ' ';
  }
  return text;
}

std::string WordSalad::Filter() { return Predicate(static_cast<int>(Below(4))); }

std::string WordSalad::Predicate(int depth) {
  if (depth > 0) {
    switch (Below(4)) {
      case 0:
        return "NOT " + Predicate(depth - 1);
      case 1:
        return "(" + Predicate(depth - 1) + ")";
      case 2:
        return Predicate(depth - 1) + " AND " + Predicate(depth - 1);
      default:
        return Predicate(depth - 1) + " OR " + Predicate(depth - 1);
    }
  }
  constexpr const char* kRelations[] = {
      " = ", " <> ", " < ", " <= ", " > ", " >= ", " LIKE ", " NOT LIKE "};
  switch (Below(6)) {
    case 0:
      return Expression(1) + " IN (" + Expression(1) + ", " + Expression(0) + ")";
    case 1:
      return Below(2) == 0 ? "color IS NULL" : "EXISTS(sys.Label)";
    case 2:
      return Expression(1) + " LIKE " + Expression(1) + " ESCAPE '!'";
    default:
      return Expression(2) + kRelations[Below(std::size(kRelations))] + Expression(2);
  }
}

std::string WordSalad::Expression(int depth) {
  if (depth == 0 || Below(3) == 0) return kLeaves[Below(std::size(kLeaves))];
  constexpr const char* kOperators[] = {" + ", " - ", " * ", " / ", " % "};
  switch (Below(4)) {
    case 0:
      return "-" + Expression(depth - 1);
    case 1:
      return "(" + Expression(depth - 1) + ")";
    default:
      return Expression(depth - 1) + kOperators[Below(std::size(kOperators))] +
             Expression(depth - 1);
  }
}

std::string WordSalad::Damaged(std::string text) {
  const std::uint64_t count = 1 + Below(3);
  for (std::uint64_t i = 0; i < count && !text.empty(); ++i) {
    const std::size_t at = Below(text.size());
    switch (Below(4)) {
      case 0:
        text[at] = static_cast<char>(Below(256));
        break;
      case 1:
        text.erase(at, 1 + Below(4));
        break;
      case 2:
        text.insert(at, text.substr(Below(text.size()), Below(8)));
        break;
      default:
        std::swap(text[at], text[Below(text.size())]);
    }
  }
  return text;
}

bool TryText(const std::string& text) {
  SeededRandom random(1);
  const Message empty;
  const Result<SqlFilter> filter = SqlFilter::Compile(text, SampleParameters());
  Require(IsClean(filter.status(), ErrorCode::kFilterException), text);
  if (filter.ok()) {
    const Result<Truth> full = filter->Evaluate(MessageView(SampleOrder(), SampleBroker()), random);
    const Result<Truth> bare = filter->Evaluate(MessageView(empty), random);
    Require(IsClean(full.status(), ErrorCode::kFilterException), text);
    Require(IsClean(bare.status(), ErrorCode::kFilterException), text);
  }

  const Result<SqlAction> action = SqlAction::Compile(text, SampleParameters());
  Require(IsClean(action.status(), ErrorCode::kRuleActionException), text);
  if (action.ok()) {
    Message order = SampleOrder();
    Require(IsClean(action->Apply(order, SampleBroker(), random), ErrorCode::kRuleActionException),
            text);
  }
  return filter.ok();
}

}  // namespace wharf
