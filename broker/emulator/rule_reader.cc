#include "broker/emulator/rule_reader.h"

#include <utility>
#include <vector>

#include <fmt/core.h>

#include "broker/core/entities/names.h"
#include "broker/emulator/object_reader.h"
#include "broker/filter/compile.h"

namespace wharf::emulator {
namespace {

const std::vector<std::string> kFilterTypes = {"Correlation", "Sql"};
// What is said of levels and preprocessing, as templates of Azure have it, is read and forgotten:
// there is one language.
const ObjectReader::Names kSqlNames = {"SqlExpression", "CompatibilityLevel",
                                       "RequiresPreprocessing"};

struct CorrelationField {
  const char* name;
  std::optional<std::string> CorrelationFilter::*field;
};
constexpr CorrelationField kCorrelationFields[] = {
    {"ContentType", &CorrelationFilter::content_type},
    {"CorrelationId", &CorrelationFilter::correlation_id},
    {"Label", &CorrelationFilter::subject},
    {"MessageId", &CorrelationFilter::message_id},
    {"ReplyTo", &CorrelationFilter::reply_to},
    {"ReplyToSessionId", &CorrelationFilter::reply_to_session_id},
    {"SessionId", &CorrelationFilter::session_id},
    {"To", &CorrelationFilter::to},
};

// Reads one rule; the first thing that is wrong is enough to have none.
class RuleReader {
 public:
  RuleReader(const ObjectReader& rule, Findings& findings) : rule_(rule), findings_(findings) {}

  std::optional<WantedRule> Read() {
    WantedRule wanted{.rule = {}, .where = rule_.where()};
    ReadName(wanted.rule);
    ReadProperties(wanted.rule);
    if (!is_good_) return std::nullopt;
    return wanted;
  }

 private:
  void Complain(const Where& where, std::string_view what) {
    findings_.Add(where, what);
    is_good_ = false;
  }

  void ReadName(RuleDescription& rule) {
    const auto name = rule_.Text("Name");
    if (!name) return Complain(rule_.where(), "has no Name");
    rule.name = *name;
    const Status wrong = CheckRuleName(rule.name);
    if (!wrong.ok()) Complain(rule_.At(*rule_.Find("Name")), "is wrong: " + wrong.message());
  }

  void ReadProperties(RuleDescription& rule) {
    const ObjectReader properties =
        rule_.Inside("Properties", {"FilterType", "CorrelationFilter", "SqlFilter", "Action"});
    const JsonNode* const type = properties.Find("FilterType");
    if (type == nullptr) {
      return Complain(properties.where(), "has no FilterType: Correlation or Sql");
    }
    if (type->text == "Correlation") {
      ReadCorrelation(properties, rule);
    } else if (type->text == "Sql") {
      ReadFilter(properties, rule);
    } else {
      Complain(properties.At(*type), TakesOneOf(kFilterTypes, *type));
    }
    ReadAction(properties, rule);
  }

  // The text, and where it stands; nothing: there is none.
  std::optional<std::pair<std::string, Where>> SqlOf(const ObjectReader& sql) {
    auto text = sql.Text("SqlExpression");
    if (!text) return std::nullopt;
    return std::pair(*std::move(text), sql.At(*sql.Find("SqlExpression")));
  }

  void ReadFilter(const ObjectReader& properties, RuleDescription& rule) {
    auto sql = SqlOf(properties.Inside("SqlFilter", kSqlNames));
    if (!sql) return Complain(properties.where(), "has no SqlFilter with an SqlExpression");
    const Status wrong = sql::CompileFilter(sql->first, {}).status();
    if (!wrong.ok()) Complain(sql->second, "is no filter: " + wrong.message());
    rule.filter = SqlText{.text = std::move(sql->first)};
  }

  // An empty one is none.
  void ReadAction(const ObjectReader& properties, RuleDescription& rule) {
    auto sql = SqlOf(properties.Inside("Action", kSqlNames));
    if (!sql || sql->first.empty()) return;
    const Status wrong = sql::CompileAction(sql->first, {}).status();
    if (!wrong.ok()) Complain(sql->second, "is no action: " + wrong.message());
    rule.action = SqlText{.text = std::move(sql->first)};
  }

  void ReadCorrelation(const ObjectReader& properties, RuleDescription& rule) {
    ObjectReader::Names names = {"Properties", "RequiresPreprocessing"};
    for (const CorrelationField& each : kCorrelationFields) names.emplace_back(each.name);
    const ObjectReader given = properties.Inside("CorrelationFilter", names);
    CorrelationFilter filter;
    for (const CorrelationField& each : kCorrelationFields) {
      auto text = given.Text(each.name);
      if (text && !text->empty()) filter.*each.field = *std::move(text);
    }
    if (const JsonNode* const own = given.Find("Properties"); own != nullptr) {
      ReadOwnProperties(*own, given.PathOf("Properties"), filter.application_properties);
    }
    if (filter == CorrelationFilter()) {
      Complain(properties.where(), "has no CorrelationFilter that compares something");
    }
    rule.filter = std::move(filter);
  }

  // Of the application: any name, with a text, a number or a truth.
  void ReadOwnProperties(const JsonNode& node, const std::string& path, PropertyMap& properties) {
    if (node.kind != JsonNode::Kind::kObject) {
      return Complain({path, node.line}, Takes("an object", node));
    }
    for (const JsonNode& member : node.children) {
      std::optional<PropertyValue> value = ValueOf(member);
      const Where where{fmt::format("{}.{}", path, member.name), member.line};
      if (!value) {
        Complain(where, Takes("text, a number, true or false", member));
      } else {
        properties.emplace_back(member.name, *std::move(value));
      }
    }
  }

  static std::optional<PropertyValue> ValueOf(const JsonNode& node) {
    switch (node.kind) {
      case JsonNode::Kind::kText:
        return node.text;
      case JsonNode::Kind::kWhole:
        return node.whole;
      case JsonNode::Kind::kFraction:
        return node.fraction;
      case JsonNode::Kind::kTruth:
        return node.truth;
      default:
        return std::nullopt;
    }
  }

  const ObjectReader& rule_;
  Findings& findings_;
  bool is_good_ = true;
};

}  // namespace

std::optional<WantedRule> ReadRule(const JsonNode& node, const std::string& path,
                                   Findings& findings) {
  const ObjectReader rule(node, path, {"Name", "Properties"}, findings);
  return RuleReader(rule, findings).Read();
}

}  // namespace wharf::emulator
