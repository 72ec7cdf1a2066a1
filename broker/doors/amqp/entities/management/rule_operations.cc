#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include "broker/doors/amqp/entities/amqp_message.h"
#include "broker/doors/amqp/entities/management/operations.h"

namespace wharf::amqp {
namespace {

// Those of filters have one digit fewer.
constexpr std::uint64_t kRule = 0x13700000004;
constexpr std::uint64_t kNoAction = 0x13700000005;
constexpr std::uint64_t kSqlAction = 0x13700000006;
constexpr std::uint64_t kSqlFilter = 0x1370000006;
constexpr std::uint64_t kTrueFilter = 0x1370000007;
constexpr std::uint64_t kFalseFilter = 0x1370000008;
constexpr std::uint64_t kCorrelationFilter = 0x1370000009;
constexpr std::int32_t kCompatibilityLevel = 20;
constexpr std::size_t kRulePage = 100;
constexpr std::int64_t kRuleTopMax = 1000;

// --- as it is told

Value DescribedList(std::uint64_t descriptor, List list) {
  return Value(Described{Value(std::uint64_t{descriptor}), Value(std::move(list))});
}

Value TextOrNull(const std::optional<std::string>& text) {
  return text.has_value() ? Value(std::string(*text)) : Value();
}

Value SqlOf(std::uint64_t descriptor, const SqlText& sql) {
  return DescribedList(descriptor, {{Value(std::string(sql.text)), Value(kCompatibilityLevel)}});
}

struct FilterOut {
  Value operator()(const TrueFilter&) const { return DescribedList(kTrueFilter, {}); }
  Value operator()(const FalseFilter&) const { return DescribedList(kFalseFilter, {}); }
  Value operator()(const SqlText& sql) const { return SqlOf(kSqlFilter, sql); }
  Value operator()(const CorrelationFilter& filter) const {
    List fields;
    for (const auto* const text :
         {&filter.correlation_id, &filter.message_id, &filter.to, &filter.reply_to, &filter.subject,
          &filter.session_id, &filter.reply_to_session_id, &filter.content_type}) {
      fields.items.push_back(TextOrNull(*text));
    }
    fields.items.emplace_back(MapFrom(filter.application_properties));
    return DescribedList(kCorrelationFilter, std::move(fields));
  }
};

Value RuleOut(const RuleDescription& rule) {
  List fields;
  fields.items.push_back(std::visit(FilterOut(), rule.filter));
  fields.items.push_back(rule.action.has_value() ? SqlOf(kSqlAction, *rule.action)
                                                 : DescribedList(kNoAction, {}));
  fields.items.emplace_back(std::string(rule.name));
  fields.items.emplace_back(MsFrom(rule.created_at));
  return DescribedList(kRule, std::move(fields));
}

// --- as it is asked for

std::optional<std::string> TextIn(const Map& map, std::string_view key) {
  const Value* const found = map.FindString(key);
  const auto* const text = found == nullptr ? nullptr : found->As<std::string>();
  return text == nullptr ? std::nullopt : std::optional(*text);
}

const Map* MapIn(const Map& map, std::string_view key) {
  const Value* const found = map.FindString(key);
  return found == nullptr ? nullptr : found->As<Map>();
}

Result<SqlText> SqlIn(const Map& map, std::string_view what) {
  const std::optional<std::string> text = TextIn(map, "expression");
  if (text.has_value()) return SqlText{.text = *text};
  return Status(ErrorCode::kArgumentError, std::string(what) + " has an expression");
}

Result<RuleFilter> CorrelationIn(const Map& map) {
  CorrelationFilter filter{.correlation_id = TextIn(map, "correlation-id"),
                           .message_id = TextIn(map, "message-id"),
                           .to = TextIn(map, "to"),
                           .reply_to = TextIn(map, "reply-to"),
                           .subject = TextIn(map, "label"),
                           .session_id = TextIn(map, "session-id"),
                           .reply_to_session_id = TextIn(map, "reply-to-session-id"),
                           .content_type = TextIn(map, "content-type")};
  if (const Map* const properties = MapIn(map, "properties")) {
    Result<PropertyMap> values = PropertiesFrom(*properties);
    if (!values.ok()) return values.status();
    filter.application_properties = *std::move(values);
  }
  return RuleFilter(std::move(filter));
}

Result<RuleFilter> FilterIn(const Map& description) {
  if (const Map* const correlation = MapIn(description, "correlation-filter")) {
    return CorrelationIn(*correlation);
  }
  const Map* const sql = MapIn(description, "sql-filter");
  if (sql == nullptr) {
    return Status(ErrorCode::kArgumentError,
                  "rule-description has a sql-filter or a correlation-filter");
  }
  Result<SqlText> text = SqlIn(*sql, "sql-filter");
  if (!text.ok()) return text.status();
  return RuleFilter(*std::move(text));
}

Result<RuleDescription> RuleIn(const Operation& operation) {
  const auto* const description = operation.Find<Map>("rule-description");
  if (description == nullptr) {
    return Status(ErrorCode::kArgumentError, "add-rule has a rule-description");
  }
  RuleDescription rule{.name = operation.Text("rule-name").value_or("")};
  Result<RuleFilter> filter = FilterIn(*description);
  if (!filter.ok()) return filter.status();
  rule.filter = *std::move(filter);
  if (const Map* const action = MapIn(*description, "sql-rule-action")) {
    Result<SqlText> text = SqlIn(*action, "sql-rule-action");
    if (!text.ok()) return text.status();
    rule.action = *std::move(text);
  }
  return rule;
}

// A walk over rules, in the order of their names, page by page.
struct RuleListing {
  ListRulesRequest request;
  std::int64_t skip = 0;
  std::int64_t top = 0;
  List rules{};
};

void AnswerRules(Operation& operation, List rules) {
  if (rules.items.empty()) return operation.Nothing();
  Map body;
  Put(body, "rules", Value(std::move(rules)));
  operation.Done(std::move(body));
}

void WalkRules(Operation& operation, RuleListing listing) {
  ListRulesRequest request = listing.request;
  operation.AskPage(std::move(request), 0,
                    [listing = std::move(listing)](Operation& self, const RulePage& page) mutable {
                      for (const RuleDescription& rule : page.rules) {
                        if (listing.skip-- > 0) continue;
                        if (std::ssize(listing.rules.items) == listing.top) break;
                        Map entry;
                        Put(entry, "rule-description", RuleOut(rule));
                        listing.rules.items.emplace_back(std::move(entry));
                      }
                      const bool is_done = std::ssize(listing.rules.items) == listing.top;
                      if (is_done || !page.has_more || page.rules.empty()) {
                        return AnswerRules(self, std::move(listing.rules));
                      }
                      listing.request.after = page.rules.back().name;
                      WalkRules(self, std::move(listing));
                    });
}

}  // namespace

void AddRule(const OperationPtr& operation) {
  Result<RuleDescription> rule = RuleIn(*operation);
  if (!rule.ok()) return operation->Fail(rule.status());
  operation->Ask(AddRuleRequest{operation->path(), *std::move(rule)}, operation->request_bytes(),
                 [](Operation& self, const RuleDescription&) { self.Done(); });
}

void RemoveRule(const OperationPtr& operation) {
  operation->Ask(RemoveRuleRequest{operation->path(), operation->Text("rule-name").value_or("")}, 0,
                 [](Operation& self, std::monostate) { self.Done(); });
}

void ListRules(const OperationPtr& operation) {
  RuleListing listing{.request = {.subscription = operation->path(), .count_max = kRulePage}};
  listing.skip = std::max<std::int64_t>(operation->Number("skip").value_or(0), 0);
  listing.top =
      std::clamp<std::int64_t>(operation->Number("top").value_or(kRulePage), 1, kRuleTopMax);
  WalkRules(*operation, std::move(listing));
}

}  // namespace wharf::amqp
