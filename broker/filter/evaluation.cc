#include "broker/filter/evaluation.h"

#include <optional>
#include <utility>

#include <fmt/core.h>

#include "broker/filter/like.h"
#include "broker/filter/property_name.h"

namespace wharf::sql {
namespace {

Value ValueOrUnknown(const PropertyValue* property) {
  if (property == nullptr) return Unknown();
  return ValueOf(*property);
}

bool IsNull(const PropertyValue* property) {
  return property == nullptr || std::holds_alternative<std::monostate>(*property);
}

// A random one, as RFC 9562 lays it out (version 4).
Uuid NewUuid(Random& random) {
  Uuid uuid;
  for (std::size_t half = 0; half < 2; ++half) {
    std::uint64_t bits = random.Next();
    for (std::size_t i = 0; i < 8; ++i, bits >>= 8) {
      uuid.bytes[half * 8 + i] = static_cast<char>(bits);
    }
  }
  uuid.bytes[6] = static_cast<char>((uuid.bytes[6] & 0x0F) | 0x40);
  uuid.bytes[8] = static_cast<char>((uuid.bytes[8] & 0x3F) | 0x80);
  return uuid;
}

std::optional<std::string_view> WithoutScope(std::string_view name, std::string_view scope) {
  if (!SameName(name.substr(0, scope.size()), scope)) return std::nullopt;
  return name.substr(scope.size());
}

}  // namespace

Result<Value> Evaluation::Run(const Program& program) {
  for (std::size_t next = 0; next < program.code.size(); ++next) {
    const Instruction instruction = program.code[next];
    if (instruction.op == Op::kSkipIfFalse || instruction.op == Op::kSkipIfTrue) {
      const bool decides = instruction.op == Op::kSkipIfTrue;
      if (TruthIn(Top()) == TruthOf(decides)) next = instruction.index - 1U;
    } else if (!Perform(program, instruction)) {
      return std::move(failure_);
    }
  }
  return Pop();
}

bool Evaluation::Perform(const Program& program, Instruction instruction) {
  switch (instruction.op) {
    case Op::kConstant:
      return Push(ValueOf(program.constants[instruction.index]));
    case Op::kUserProperty:
      return Push(ValueOrUnknown(User(program, instruction)));
    case Op::kSystemProperty:
      return Push(System(instruction));
    case Op::kNewId:
      return Push(NewUuid(random_));
    case Op::kUserIsNull:
      return Push(IsNull(User(program, instruction)));
    case Op::kSystemIsNull:
      return Push(IsUnknown(System(instruction)));
    case Op::kUserExists:
      return Push(User(program, instruction) != nullptr);
    case Op::kSystemExists:
      return Push(!IsUnknown(System(instruction)));
    case Op::kInBegin:
      return Push(false);
    case Op::kInElement:
      return CompareElement();
    case Op::kInEnd: {
      const Value found = Pop();
      Top() = found;
      return true;
    }
    case Op::kNamedProperty:
    case Op::kPlus:
    case Op::kMinus:
    case Op::kNot:
      return PerformOnOne(instruction.op);
    default:
      return PerformOnTwo(instruction.op);
  }
}

bool Evaluation::PerformOnOne(Op op) {
  switch (op) {
    case Op::kNamedProperty:
      return PushNamedProperty();
    case Op::kPlus:
      if (!HasSign(Top())) Top() = Unknown();
      return true;
    case Op::kMinus:
      return Accept(Negate(Pop()));
    default:
      Top() = ValueOf(Not(TruthIn(Top())));
      return true;
  }
}

bool Evaluation::PerformOnTwo(Op op) {
  switch (op) {
    case Op::kAdd:
      return Arithmetic(Operation::kAdd);
    case Op::kSubtract:
      return Arithmetic(Operation::kSubtract);
    case Op::kMultiply:
      return Arithmetic(Operation::kMultiply);
    case Op::kDivide:
      return Arithmetic(Operation::kDivide);
    case Op::kRemainder:
      return Arithmetic(Operation::kRemainder);
    case Op::kEqual:
      return Relate(Relation::kEqual);
    case Op::kUnequal:
      return Relate(Relation::kUnequal);
    case Op::kLess:
      return Relate(Relation::kLess);
    case Op::kLessOrEqual:
      return Relate(Relation::kLessOrEqual);
    case Op::kGreater:
      return Relate(Relation::kGreater);
    case Op::kGreaterOrEqual:
      return Relate(Relation::kGreaterOrEqual);
    case Op::kLike:
      return MatchPattern();
    case Op::kLikeEscape:
      return MatchPatternWithEscape();
    case Op::kAnd: {
      const Truth right = TruthIn(Pop());
      Top() = ValueOf(And(TruthIn(Top()), right));
      return true;
    }
    default: {  // kOr
      const Truth right = TruthIn(Pop());
      Top() = ValueOf(Or(TruthIn(Top()), right));
      return true;
    }
  }
}

bool Evaluation::Arithmetic(Operation operation) {
  const Value right = Pop();
  const Value left = Pop();
  const auto* const left_text = std::get_if<Text>(&left);
  const auto* const right_text = std::get_if<Text>(&right);
  if (operation == Operation::kAdd && left_text != nullptr && right_text != nullptr) {
    return Join(*left_text, *right_text);
  }
  return Accept(Compute(operation, left, right));
}

bool Evaluation::Join(Text left, Text right) {
  joined_bytes_ += left.size() + right.size();
  if (joined_bytes_ > kJoinedBytesMax) {
    return Fail(fmt::format("joining texts makes more than {} bytes", kJoinedBytesMax));
  }
  joined_.push_front(std::string(left).append(right));
  return Push(Text(joined_.front()));
}

bool Evaluation::Relate(Relation relation) {
  const Value right = Pop();
  Top() = ValueOf(Compare(relation, Top(), right));
  return true;
}

bool Evaluation::CompareElement() {
  const Value element = Pop();
  const Truth found = TruthIn(Pop());
  return Push(ValueOf(Or(found, Compare(Relation::kEqual, Top(), element))));
}

bool Evaluation::MatchPattern() {
  const Value pattern = Pop();
  const Value text = Pop();
  return MatchTexts(text, pattern, Text());
}

bool Evaluation::MatchPatternWithEscape() {
  const Value escape = Pop();
  const Value pattern = Pop();
  const Value text = Pop();
  if (IsUnknown(escape)) return Push(Unknown());
  const auto* const escape_text = std::get_if<Text>(&escape);
  const auto character = escape_text == nullptr ? std::nullopt : OneCharacter(*escape_text);
  if (!character) return Fail("what follows ESCAPE is not one character");
  return MatchTexts(text, pattern, *character);
}

bool Evaluation::MatchTexts(const Value& text, const Value& pattern, Text escape) {
  const auto* const whole = std::get_if<Text>(&text);
  const auto* const wanted = std::get_if<Text>(&pattern);
  if (whole == nullptr || wanted == nullptr) return Push(Unknown());
  const std::size_t steps = whole->size() * wanted->size();
  if (steps > kLikeStepsMax - like_steps_) {
    return Fail("LIKE has to compare texts that are too long");
  }
  like_steps_ += steps;
  return Push(Like(*whole, *wanted, escape));
}

// The name may say its scope (SQL-12).
bool Evaluation::PushNamedProperty() {
  const Value name = Pop();
  const auto* const text = std::get_if<Text>(&name);
  if (text == nullptr) return Push(Unknown());
  if (const auto system = WithoutScope(*text, "sys.")) {
    const auto property = FindSystemProperty(*system);
    if (!property) return Fail(fmt::format("there is no system property '{:.64}'", *system));
    return Push(message_.Get(*property));
  }
  const PropertyName user(WithoutScope(*text, "user.").value_or(*text));
  return Push(ValueOrUnknown(message_.Find(user)));
}

bool Evaluation::Accept(const Computed& computed) {
  switch (computed.error) {
    case ArithmeticError::kNone:
      return Push(computed.value);
    case ArithmeticError::kDivisionByZero:
      return Fail("a whole number or decimal is divided by zero");
    case ArithmeticError::kDecimalTooLarge:
      return Fail("a decimal becomes too large");
    case ArithmeticError::kTimeTooLarge:
      return Fail("a time becomes too large");
  }
  return Push(computed.value);
}

bool Evaluation::Fail(std::string why) {
  failure_ = Status(error_code_, std::move(why));
  return false;
}

}  // namespace wharf::sql
