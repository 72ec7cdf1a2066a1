#include "broker/filter/compile.h"

#include <string_view>

#include <fmt/core.h>

#include "broker/core/messages/text.h"
#include "broker/filter/grammar.hh"
#include "broker/filter/lexer.h"

namespace wharf::sql {
namespace {

struct Language {
  bool is_action;
  ErrorCode error_code;
  std::string_view noun;
};
constexpr Language kFilterLanguage = {false, ErrorCode::kFilterException, "filter"};
constexpr Language kActionLanguage = {true, ErrorCode::kRuleActionException, "action"};

// Of UTF-8; what is none may have any number of bytes in a character.
constexpr std::size_t kTextBytesMax = 4 * kTextCharactersMax;

Status Parse(const Language& language, const std::string& text, Assembler& assembler) {
  if (text.size() > kTextBytesMax || CharactersIn(text) > kTextCharactersMax) {
    return {language.error_code,
            fmt::format("the {} is longer than {} characters", language.noun, kTextCharactersMax)};
  }
  Lexer lexer(text, language.is_action, assembler);
  Parser parser(lexer, assembler);
  const bool is_parsed = parser.parse() == 0;
  if (is_parsed && !assembler.has_failed()) return {};
  return {language.error_code,
          fmt::format("the {} is wrong at {}", language.noun, assembler.failure())};
}

}  // namespace

Result<Program> CompileFilter(const std::string& text, const PropertyMap& parameters) {
  Assembler assembler(text, parameters);
  WHARF_RETURN_IF_ERROR(Parse(kFilterLanguage, text, assembler));
  return assembler.TakeProgram();
}

Result<std::vector<Statement>> CompileAction(const std::string& text,
                                             const PropertyMap& parameters) {
  Assembler assembler(text, parameters);
  WHARF_RETURN_IF_ERROR(Parse(kActionLanguage, text, assembler));
  return assembler.TakeStatements();
}

}  // namespace wharf::sql
