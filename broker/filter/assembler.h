// Assembler: takes what the parser finds, in order, and makes programs and statements of it.
//
// Knows what a grammar does not: which properties, functions and parameters there are. The first
// thing that is wrong is kept, with its place, and all that follows it is ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/messages/property_value.h"
#include "broker/filter/place.h"
#include "broker/filter/program.h"
#include "broker/filter/system_property.h"
#include "storage/base/status.h"

namespace wharf::sql {

inline constexpr const char* kTooLargeForInt64 = "the number does not fit into 64 bits";

// A property that a text names: of the system, or else of the user, then with its name.
struct PropertyReference {
  std::optional<SystemProperty> system;
  std::string name;
};

// One statement of an action: SET, or REMOVE, which has no value.
struct Statement {
  PropertyReference target;
  std::optional<Program> value;
};

class Assembler {
 public:
  // `parameters` by name, with or without the @ before it; both outlive the assembler.
  Assembler(std::string_view text, const PropertyMap& parameters)
      : text_(text), parameters_(parameters) {}

  // The grammar's side: names, then instructions, then statements.
  PropertyReference UserProperty(const std::string& name, Place place);
  PropertyReference ScopedProperty(const std::string& scope, Place scope_place,
                                   const std::string& name, Place name_place);

  void Constant(PropertyValue value, Place place);
  void WholeNumber(std::uint64_t magnitude, Place place);
  void Parameter(const std::string& name, Place place);
  void Load(const PropertyReference& property, Place place);
  void IsNull(const PropertyReference& property, Place place);
  void Exists(const PropertyReference& property, Place place);
  void CallWithout(const std::string& function, Place place);
  void CallWithName(const std::string& function, Place place, const PropertyReference& property,
                    Place property_place);
  void CallWithText(const std::string& function, Place place);
  // An operation on what was assembled last; a minus before a number is a part of it.
  void Emit(Op op, Place place);
  void Minus(Place place);
  void NegateIf(bool is_negated, Place place);
  void LikeEscape(Place place, Place escape_place);
  // Around the right side of AND and OR, which is skipped when the left one decides.
  std::size_t BeginSkip(Op op, Place place);
  void EndSkip(std::size_t skip, Op op, Place place);

  void Set(const PropertyReference& target, Place place);
  void Remove(const PropertyReference& target, Place place);

  void Fail(Place place, std::string why);
  // `wanted`: what could stand there instead, or empty.
  void FailUnexpected(Place place, std::string_view wanted);

  // The result, once the text has been parsed.
  bool has_failed() const { return failure_.has_value(); }
  // "column 7: ..."; columns count characters, from 1.
  std::string failure() const { return failure_.value_or(std::string()); }
  Program TakeProgram();
  std::vector<Statement> TakeStatements() { return std::move(statements_); }

 private:
  void Add(Op op, std::size_t index, Place place);
  void AddProperty(Op user, Op system, const PropertyReference& property, Place place);
  void Grow(int values, Place place);
  void EndNumber();
  bool CheckTarget(const PropertyReference& target, Place place);
  void AddStatement(Statement statement, Place place);

  const std::string_view text_;
  const PropertyMap& parameters_;

  Program program_;
  // Values on the stack when the program has come to where it is now.
  std::size_t stack_size_ = 0;
  // The number 2^63, until the minus comes that it needs (SQL-4).
  std::optional<Place> number_without_minus_;
  std::vector<Statement> statements_;
  std::optional<std::string> failure_;
};

}  // namespace wharf::sql
