#include "broker/topics/rule_judge.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "broker/filter/correlation_key.h"
#include "broker/filter/program.h"
#include "broker/filter/property_name.h"

namespace wharf {
namespace {

// What a message has, as evidence.
class Witness {
 public:
  Witness(const Message& message, const MessageView& view) : message_(message), view_(view) {}

  PropertyEvidence Tell(const PropertyName& name) const {
    const auto& properties = message_.application_properties;
    const auto found = std::find_if(properties.begin(), properties.end(),
                                    [&](const auto& property) { return name.Is(property.first); });
    if (found == properties.end()) return {.name = name.folded()};
    return {.name = found->first, .actual = found->second};
  }

  // One that exists and is unset has no value (SQL-26).
  PropertyEvidence Tell(SystemProperty property) const {
    PropertyEvidence evidence{.name = fmt::format("sys.{}", NameOf(property))};
    const sql::Value value = view_.Get(property);
    if (!sql::IsUnknown(value)) evidence.actual = sql::PropertyOf(value);
    return evidence;
  }

 private:
  const Message& message_;
  const MessageView& view_;
};

std::vector<PropertyEvidence> EvidenceFor(const sql::Program& program, const Witness& witness) {
  std::vector<PropertyEvidence> evidence;
  for (const sql::Instruction instruction : program.code) {
    switch (instruction.op) {
      case sql::Op::kUserProperty:
      case sql::Op::kUserIsNull:
      case sql::Op::kUserExists:
        evidence.push_back(witness.Tell(program.names[instruction.index]));
        break;
      case sql::Op::kSystemProperty:
      case sql::Op::kSystemIsNull:
      case sql::Op::kSystemExists:
        evidence.push_back(witness.Tell(static_cast<SystemProperty>(instruction.index)));
        break;
      default:
        break;
    }
  }
  std::vector<PropertyEvidence> once;
  for (PropertyEvidence& each : evidence) {
    const auto is_told = [&](const PropertyEvidence& told) { return told.name == each.name; };
    if (std::none_of(once.begin(), once.end(), is_told)) once.push_back(std::move(each));
  }
  return once;
}

// A filter that wants one thing alone is asked as every filter is, so that the same is equal.
bool IsWanted(const CorrelationFilter& alone, const MessageView& view) {
  std::string wanted;
  std::string actual;
  return WriteKey(alone, wanted) && WriteKey(FieldsOf(alone), view, actual) && wanted == actual;
}

std::vector<PropertyEvidence> EvidenceFor(const CorrelationFilter& filter, const Witness& witness,
                                          const MessageView& view) {
  std::vector<PropertyEvidence> evidence;
  for (const CorrelationProperty& property : CorrelationProperties()) {
    const auto& wanted = filter.*property.field;
    if (!IsSet(wanted)) continue;
    PropertyEvidence& each = evidence.emplace_back(witness.Tell(property.property));
    each.wanted = *wanted;
    CorrelationFilter alone;
    alone.*property.field = wanted;
    each.is_equal = IsWanted(alone, view);
  }
  for (const auto& wanted : filter.application_properties) {
    PropertyEvidence& each = evidence.emplace_back(witness.Tell(PropertyName(wanted.first)));
    each.wanted = wanted.second;
    each.is_equal = IsWanted({.application_properties = {wanted}}, view);
  }
  return evidence;
}

void JudgeFilter(const Rule& rule, const MessageView& view, const Witness& witness, Random& random,
                 std::size_t& like_steps, RuleVerdict& verdict) {
  const RuleFilter& filter = rule.description.filter;
  if (rule.filter) {
    verdict.evidence = EvidenceFor(rule.filter->program(), witness);
    const Result<Truth> truth = rule.filter->Evaluate(view, random, like_steps);
    if (!truth.ok()) {
      verdict.error = truth.status();
    } else {
      verdict.truth = *truth;
    }
  } else if (const auto* correlation = std::get_if<CorrelationFilter>(&filter)) {
    verdict.evidence = EvidenceFor(*correlation, witness, view);
    verdict.truth = TruthOf(std::all_of(verdict.evidence.begin(), verdict.evidence.end(),
                                        [](const auto& each) { return each.is_equal; }));
  } else {
    verdict.truth = TruthOf(std::holds_alternative<TrueFilter>(filter));
  }
}

std::size_t SizeOf(const PropertyEvidence& evidence) {
  std::size_t size = evidence.name.size();
  if (evidence.actual) size += SizeOf(std::pair("", *evidence.actual));
  if (evidence.wanted) size += SizeOf(std::pair("", *evidence.wanted));
  return size;
}

}  // namespace

RuleVerdict Judge(const Rule& rule, const Message& message, const BrokerProperties& broker,
                  Random& random, std::size_t& like_steps) {
  const MessageView view(message, broker);
  RuleVerdict verdict{.rule = rule.description.name};
  JudgeFilter(rule, view, Witness(message, view), random, like_steps, verdict);
  if (verdict.truth != Truth::kTrue || !rule.action) return verdict;
  Message copy = message;
  verdict.error = ApplyAction(rule, broker, random, copy);
  if (verdict.error.ok()) verdict.copy = std::move(copy);
  return verdict;
}

std::size_t SizeOf(const RuleVerdict& verdict) {
  std::size_t size = verdict.rule.size() + verdict.error.message().size();
  if (verdict.copy) size += static_cast<std::size_t>(SizeOf(*verdict.copy));
  for (const PropertyEvidence& evidence : verdict.evidence) size += SizeOf(evidence);
  return size;
}

}  // namespace wharf
