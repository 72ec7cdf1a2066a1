#include "broker/doors/amqp/types/descriptor.h"

#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {

std::uint64_t ReadDescriptor(Reader& reader) {
  if (reader.PeekType() == Type::kSymbol) return DescriptorOf(reader.ReadSymbol());
  std::uint64_t code = 0;
  reader.Read(code);
  return code;
}

}  // namespace wharf::amqp
