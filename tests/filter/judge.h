// Judge: asks a filter about one message that has a property of every type, and answers with a
// word.
#pragma once

#include <initializer_list>
#include <string>

#include "broker/filter/message_view.h"
#include "tests/filter/sample_order.h"

namespace wharf {

// "T", "F", "U" (unknown), or the message of the error, of the text or of the evaluation.
std::string Judge(const std::string& filter);
std::string Judge(const std::string& filter, const MessageView& message);

// One line of a table of filters.
struct Case {
  const char* filter;
  const char* expected;
};
void ExpectAll(std::initializer_list<Case> cases);

}  // namespace wharf
