#include "tests/amqp/codec/any_value_bytes.h"

#include <cstdlib>
#include <string>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/codec/value_text.h"
#include "broker/doors/amqp/codec/writer.h"

namespace wharf::amqp {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// What was read can be written, read again, and is the same; told by its bytes, as no NaN equals
// another.
void TryValue(const Value& value) {
  const std::string bytes = Encoded(value);
  Reader reader(bytes);
  Value again;
  reader.Read(again);
  Require(reader.ok() && reader.at_end());
  Require(Encoded(again) == bytes);
  TextOf(value);
}

}  // namespace

void TryAnyValueBytes(std::string_view bytes) {
  Reader reader(bytes);
  Reader skipping(bytes);
  while (!reader.at_end()) {
    Value value;
    reader.Read(value);
    const std::size_t before = skipping.position();
    const std::string_view encoded = skipping.TakeEncoded();
    // Going over a value makes nothing of it, so it is not bounded in number.
    Require(!reader.ok() || skipping.ok());
    if (!reader.ok()) break;
    Require(encoded == bytes.substr(before, reader.position() - before));
    TryValue(value);
  }
}

}  // namespace wharf::amqp
