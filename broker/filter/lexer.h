// Lexer: the words of a filter or an action, one after the other. Made from lexer.re.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/filter/assembler.h"
#include "broker/filter/grammar.hh"
#include "broker/filter/place.h"

namespace wharf::sql {

class Lexer {
 public:
  // The first word says which of the two languages follows. What is no word is told to `assembler`;
  // both outlive the lexer.
  Lexer(const std::string& text, bool is_action, Assembler& assembler);

  Parser::symbol_type Next();

 private:
  Parser::symbol_type NextInText();
  std::string_view word() const;
  Place place() const;
  // The word without the signs around it; two closing signs within stand for one.
  std::string Unquoted() const;
  Parser::symbol_type WholeNumber();
  Parser::symbol_type FloatingNumber();
  Parser::symbol_type Wrong(std::string why);

  const std::string& text_;
  Assembler& assembler_;
  std::optional<Parser::symbol_type> first_;
  const char* word_;
  const char* cursor_;
};

}  // namespace wharf::sql
