// SqlFilter: a predicate on the properties of messages, in the language of semantics 15.4.
//
// Made from text once, then asked by any thread. The text and the parameters are kept for storage.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "broker/core/entities/truth.h"
#include "broker/core/messages/property_value.h"
#include "broker/filter/message_view.h"
#include "broker/filter/program.h"
#include "storage/base/random.h"
#include "storage/base/status.h"

namespace wharf {

// What the true and the false filter are short for (RUL-16).
inline constexpr std::string_view kTrueFilterText = "1=1";
inline constexpr std::string_view kFalseFilterText = "1=0";

class SqlFilter {
 public:
  // `parameters` are the values of @names, which may be given with or without the @. Fails with
  // FilterException, which tells the column, if the text is no filter (RUL-11).
  static Result<SqlFilter> Compile(std::string text, PropertyMap parameters = {});

  const std::string& text() const { return text_; }
  const PropertyMap& parameters() const { return parameters_; }
  const sql::Program& program() const { return program_; }

  // Fails with FilterException if the message has values that the filter cannot reckon with
  // (RUL-8). `random` is asked by newid() only.
  Result<Truth> Evaluate(const MessageView& message, Random& random) const;
  // The same; adds to `like_steps` what its LIKEs cost, for callers that must stop in time. See
  // evaluation.h.
  Result<Truth> Evaluate(const MessageView& message, Random& random, std::size_t& like_steps) const;

 private:
  SqlFilter(std::string text, PropertyMap parameters, sql::Program program);

  std::string text_;
  PropertyMap parameters_;
  sql::Program program_;
};

}  // namespace wharf
