#include "broker/filter/sql_action.h"

#include <utility>

#include "broker/filter/assignment.h"
#include "broker/filter/compile.h"
#include "broker/filter/evaluation.h"

namespace wharf {
namespace {

// A property that is taken over as it is keeps its type, also those that expressions do not know.
const PropertyValue* CopiedProperty(const sql::Program& program, const MessageView& view) {
  const bool is_copy =
      program.code.size() == 1 && program.code.front().op == sql::Op::kUserProperty;
  return is_copy ? view.Find(program.names.front()) : nullptr;
}

Result<PropertyValue> ValueFor(const sql::Program& program, const MessageView& view,
                               Random& random) {
  if (const auto* const copied = CopiedProperty(program, view)) return *copied;
  sql::Evaluation evaluation(view, random, ErrorCode::kRuleActionException);
  const Result<sql::Value> value = evaluation.Run(program);
  if (!value.ok()) return value.status();
  return sql::PropertyOf(*value);
}

}  // namespace

Result<SqlAction> SqlAction::Compile(std::string text, PropertyMap parameters) {
  Result<std::vector<sql::Statement>> statements = sql::CompileAction(text, parameters);
  if (!statements.ok()) return statements.status();
  return SqlAction(std::move(text), std::move(parameters), *std::move(statements));
}

SqlAction::SqlAction(std::string text, PropertyMap parameters,
                     std::vector<sql::Statement> statements)
    : text_(std::move(text)),
      parameters_(std::move(parameters)),
      statements_(std::move(statements)) {}

std::size_t SqlAction::instructions() const {
  std::size_t count = statements_.size();
  for (const sql::Statement& statement : statements_) {
    if (statement.value) count += statement.value->code.size();
  }
  return count;
}

Status SqlAction::Apply(Message& message, const BrokerProperties& broker, Random& random) const {
  for (const sql::Statement& statement : statements_) {
    if (!statement.value) {
      sql::Remove(message, statement.target);
      continue;
    }
    Result<PropertyValue> value = ValueFor(*statement.value, MessageView(message, broker), random);
    if (!value.ok()) return value.status();
    WHARF_RETURN_IF_ERROR(sql::Assign(message, statement.target, *std::move(value)));
  }
  return {};
}

}  // namespace wharf
