// SqlAction: statements that change the properties of a message, in the language of semantics 15.5.
//
// Made from text once, then applied by any thread. The text and the parameters are kept for
// storage.
#pragma once

#include <string>
#include <vector>

#include "broker/core/messages/message.h"
#include "broker/core/messages/property_value.h"
#include "broker/filter/assembler.h"
#include "broker/filter/message_view.h"
#include "storage/base/random.h"
#include "storage/base/status.h"

namespace wharf {

class SqlAction {
 public:
  // As SqlFilter::Compile; fails with RuleActionException (RUL-11).
  static Result<SqlAction> Compile(std::string text, PropertyMap parameters = {});

  const std::string& text() const { return text_; }
  const PropertyMap& parameters() const { return parameters_; }
  // Of all its statements.
  std::size_t instructions() const;

  // Changes `message`, a copy that is the caller's. Each statement sees what the ones before it did
  // (ACT-5). On RuleActionException (RUL-9) some statements are done and the rest is not: throw the
  // copy away. Limits on messages are left to the caller (SIZ-5).
  Status Apply(Message& message, const BrokerProperties& broker, Random& random) const;

 private:
  SqlAction(std::string text, PropertyMap parameters, std::vector<sql::Statement> statements);

  std::string text_;
  PropertyMap parameters_;
  std::vector<sql::Statement> statements_;
};

}  // namespace wharf
