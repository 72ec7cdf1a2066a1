#include "broker/filter/assembler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "broker/core/messages/text.h"
#include "broker/filter/like.h"
#include "broker/filter/property_name.h"

namespace wharf::sql {
namespace {

// ACT-8
constexpr std::size_t kStatementsMax = 32;

// Values on the stack after an instruction, less those before it.
int GrowthOf(Op op) {
  switch (op) {
    case Op::kConstant:
    case Op::kUserProperty:
    case Op::kSystemProperty:
    case Op::kNewId:
    case Op::kUserIsNull:
    case Op::kSystemIsNull:
    case Op::kUserExists:
    case Op::kSystemExists:
    case Op::kInBegin:
      return 1;
    case Op::kNamedProperty:
    case Op::kPlus:
    case Op::kMinus:
    case Op::kNot:
    case Op::kSkipIfFalse:
    case Op::kSkipIfTrue:
      return 0;
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kRemainder:
    case Op::kEqual:
    case Op::kUnequal:
    case Op::kLess:
    case Op::kLessOrEqual:
    case Op::kGreater:
    case Op::kGreaterOrEqual:
    case Op::kLike:
    case Op::kAnd:
    case Op::kOr:
    case Op::kInElement:
    case Op::kInEnd:
      return -1;
    case Op::kLikeEscape:
      return -2;
  }
  return 0;
}

std::string_view WithoutAt(std::string_view name) {
  return name.substr(name.starts_with('@') ? 1 : 0);
}

}  // namespace

PropertyReference Assembler::UserProperty(const std::string& name, Place place) {
  if (name.empty()) Fail(place, "the name of a property is empty");
  return {std::nullopt, name};
}

PropertyReference Assembler::ScopedProperty(const std::string& scope, Place scope_place,
                                            const std::string& name, Place name_place) {
  if (SameName(scope, "user")) return UserProperty(name, name_place);
  if (!SameName(scope, "sys")) {
    Fail(scope_place, fmt::format("there is no scope '{}', only sys and user", scope));
    return {};
  }
  const auto system = FindSystemProperty(name);
  if (!system) Fail(name_place, fmt::format("there is no system property '{}'", name));
  return {system, name};
}

void Assembler::Constant(PropertyValue value, Place place) {
  program_.constants.push_back(std::move(value));
  Add(Op::kConstant, program_.constants.size() - 1, place);
}

void Assembler::WholeNumber(std::uint64_t magnitude, Place place) {
  const auto number = static_cast<std::int64_t>(magnitude);
  Constant(number, place);
  if (number < 0) number_without_minus_ = place;
}

void Assembler::Parameter(const std::string& name, Place place) {
  const auto found = std::find_if(
      parameters_.begin(), parameters_.end(),
      [&](const auto& parameter) { return SameName(WithoutAt(parameter.first), WithoutAt(name)); });
  if (found == parameters_.end()) return Fail(place, fmt::format("no value is given for {}", name));
  Constant(found->second, place);
}

void Assembler::Load(const PropertyReference& property, Place place) {
  AddProperty(Op::kUserProperty, Op::kSystemProperty, property, place);
}

void Assembler::IsNull(const PropertyReference& property, Place place) {
  AddProperty(Op::kUserIsNull, Op::kSystemIsNull, property, place);
}

void Assembler::Exists(const PropertyReference& property, Place place) {
  AddProperty(Op::kUserExists, Op::kSystemExists, property, place);
}

void Assembler::CallWithout(const std::string& function, Place place) {
  if (!SameName(function, "newid")) {
    return Fail(place, fmt::format("there is no function {}()", function));
  }
  Add(Op::kNewId, 0, place);
}

void Assembler::CallWithName(const std::string& function, Place place,
                             const PropertyReference& property, Place property_place) {
  if (!SameName(function, "property") && !SameName(function, "p")) {
    return Fail(place, fmt::format("there is no function {}(name)", function));
  }
  Load(property, property_place);
}

void Assembler::CallWithText(const std::string& function, Place place) {
  if (!SameName(function, "property") && !SameName(function, "p")) {
    return Fail(place, fmt::format("there is no function {}(name)", function));
  }
  Add(Op::kNamedProperty, 0, place);
}

void Assembler::Emit(Op op, Place place) { Add(op, 0, place); }

void Assembler::Minus(Place place) {
  if (number_without_minus_) return number_without_minus_.reset();  // It is what it is now: -2^63.
  if (!program_.code.empty() && program_.code.back().op == Op::kConstant) {
    PropertyValue& constant = program_.constants[program_.code.back().index];
    auto* const whole = std::get_if<std::int64_t>(&constant);
    if (whole != nullptr && *whole != std::numeric_limits<std::int64_t>::min()) {
      *whole = -*whole;
      return;
    }
  }
  Add(Op::kMinus, 0, place);
}

void Assembler::NegateIf(bool is_negated, Place place) {
  if (is_negated) Add(Op::kNot, 0, place);
}

// A literal can be judged at once (SQL-21).
void Assembler::LikeEscape(Place place, Place escape_place) {
  if (!program_.code.empty() && program_.code.back().op == Op::kConstant) {
    const PropertyValue& escape = program_.constants[program_.code.back().index];
    const auto* const text = std::get_if<std::string>(&escape);
    const bool is_character = text != nullptr && OneCharacter(*text);
    if (!is_character && !std::holds_alternative<std::monostate>(escape)) {
      return Fail(escape_place, "what follows ESCAPE is not one character");
    }
  }
  Add(Op::kLikeEscape, 0, place);
}

// While the right side is evaluated, the left one waits below it.
std::size_t Assembler::BeginSkip(Op op, Place place) {
  Add(op, 0, place);
  return program_.code.size() - 1;
}

void Assembler::EndSkip(std::size_t skip, Op op, Place place) {
  Add(op, 0, place);
  if (has_failed()) return;
  program_.code[skip].index = static_cast<std::uint16_t>(program_.code.size());
}

void Assembler::Set(const PropertyReference& target, Place place) {
  Statement statement{target, TakeProgram()};
  if (CheckTarget(target, place)) AddStatement(std::move(statement), place);
}

void Assembler::Remove(const PropertyReference& target, Place place) {
  if (CheckTarget(target, place)) AddStatement({target, std::nullopt}, place);
}

bool Assembler::CheckTarget(const PropertyReference& target, Place place) {
  if (!target.system || IsWritable(*target.system)) return true;
  Fail(place, fmt::format("sys.{} belongs to the broker and cannot be changed", target.name));
  return false;
}

void Assembler::AddStatement(Statement statement, Place place) {
  if (statements_.size() == kStatementsMax) {
    return Fail(place, fmt::format("an action has at most {} statements", kStatementsMax));
  }
  statements_.push_back(std::move(statement));
}

void Assembler::Fail(Place place, std::string why) {
  if (has_failed()) return;
  const std::size_t column = CharactersIn(text_.substr(0, place.begin)) + 1;
  failure_ = fmt::format("column {}: {}", column, std::move(why));
}

void Assembler::FailUnexpected(Place place, std::string_view wanted) {
  constexpr std::size_t kShownMax = 40;
  const std::string_view word = text_.substr(place.begin, place.end - place.begin);
  std::string why = word.empty() ? std::string("the text ends too soon")
                                 : fmt::format("'{:.{}}' is not expected here", word, kShownMax);
  if (!wanted.empty()) why += fmt::format("; {} is expected", wanted);
  Fail(place, std::move(why));
}

Program Assembler::TakeProgram() {
  EndNumber();
  stack_size_ = 0;
  return std::exchange(program_, Program());
}

void Assembler::AddProperty(Op user, Op system, const PropertyReference& property, Place place) {
  if (property.system) return Add(system, static_cast<std::size_t>(*property.system), place);
  program_.names.emplace_back(property.name);
  Add(user, program_.names.size() - 1, place);
}

// Texts are short, so an index always fits.
void Assembler::Add(Op op, std::size_t index, Place place) {
  EndNumber();
  Grow(GrowthOf(op), place);
  if (has_failed()) return;
  program_.code.push_back({op, static_cast<std::uint16_t>(index)});
}

void Assembler::Grow(int values, Place place) {
  stack_size_ += static_cast<std::size_t>(values);
  if (stack_size_ > kStackMax) Fail(place, "this is nested too deeply");
}

// Whatever is not a minus leaves the number as it was written.
void Assembler::EndNumber() {
  if (!number_without_minus_) return;
  Fail(*number_without_minus_, kTooLargeForInt64);
  number_without_minus_.reset();
}

}  // namespace wharf::sql
