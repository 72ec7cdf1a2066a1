// Evaluation: runs a Program against one message.
//
// Allocates nothing for an ordinary predicate; for the texts that `+` makes, which are bounded and
// live as long as the evaluation does, and for what is nested deeply. On the stack of one thread,
// for one run.
#pragma once

#include <cstddef>
#include <forward_list>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "broker/filter/arithmetic.h"
#include "broker/filter/comparison.h"
#include "broker/filter/message_view.h"
#include "broker/filter/program.h"
#include "broker/filter/value.h"
#include "storage/base/random.h"
#include "storage/base/status.h"

namespace wharf::sql {

// What all joins of one evaluation may make together.
inline constexpr std::size_t kJoinedBytesMax = 256 * 1024;
// Bytes of text times bytes of pattern, in all LIKEs of one evaluation together: some milliseconds.
inline constexpr std::size_t kLikeStepsMax = 16 * 1024 * 1024;

class Evaluation {
 public:
  // `random` is asked by newid() only; errors have `error_code`.
  Evaluation(const MessageView& message, Random& random, ErrorCode error_code)
      : message_(message), random_(random), error_code_(error_code) {}
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  // The value is good as long as the evaluation, the program and the message.
  Result<Value> Run(const Program& program);
  // Bytes of text times bytes of pattern, in all LIKEs that it did.
  std::size_t like_steps() const { return like_steps_; }

 private:
  using Text = std::string_view;

  // False if the evaluation failed; `failure_` says why.
  bool Perform(const Program& program, Instruction instruction);
  bool PerformOnOne(Op op);
  bool PerformOnTwo(Op op);
  bool Arithmetic(Operation operation);
  bool Join(Text left, Text right);
  bool Relate(Relation relation);
  bool MatchPattern();
  bool MatchPatternWithEscape();
  bool MatchTexts(const Value& text, const Value& pattern, Text escape);
  bool PushNamedProperty();
  bool CompareElement();

  bool Push(const Value& value) {
    stack_.push_back(value);
    return true;
  }
  Value Pop() {
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Value& Top() { return stack_.back(); }
  const PropertyValue* User(const Program& program, Instruction instruction) const {
    return message_.Find(program.names[instruction.index]);
  }
  Value System(Instruction instruction) const {
    return message_.Get(static_cast<SystemProperty>(instruction.index));
  }

  bool Fail(std::string why);
  bool Accept(const Computed& computed);

  const MessageView& message_;
  Random& random_;
  const ErrorCode error_code_;

  // Grows, to kStackMax, for few programs only.
  absl::InlinedVector<Value, 8> stack_;
  // They stay where they are while more are made.
  std::forward_list<std::string> joined_;
  std::size_t joined_bytes_ = 0;
  std::size_t like_steps_ = 0;
  Status failure_;
};

}  // namespace wharf::sql
