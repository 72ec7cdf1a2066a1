#include "broker/filter/sql_filter.h"

#include <utility>

#include "broker/filter/compile.h"
#include "broker/filter/evaluation.h"

namespace wharf {

Result<SqlFilter> SqlFilter::Compile(std::string text, PropertyMap parameters) {
  Result<sql::Program> program = sql::CompileFilter(text, parameters);
  if (!program.ok()) return program.status();
  return SqlFilter(std::move(text), std::move(parameters), *std::move(program));
}

SqlFilter::SqlFilter(std::string text, PropertyMap parameters, sql::Program program)
    : text_(std::move(text)), parameters_(std::move(parameters)), program_(std::move(program)) {}

Result<Truth> SqlFilter::Evaluate(const MessageView& message, Random& random) const {
  std::size_t like_steps = 0;
  return Evaluate(message, random, like_steps);
}

Result<Truth> SqlFilter::Evaluate(const MessageView& message, Random& random,
                                  std::size_t& like_steps) const {
  sql::Evaluation evaluation(message, random, ErrorCode::kFilterException);
  const Result<sql::Value> value = evaluation.Run(program_);
  like_steps += evaluation.like_steps();
  if (!value.ok()) return value.status();
  return sql::TruthIn(*value);
}

}  // namespace wharf
