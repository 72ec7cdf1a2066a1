#include "broker/doors/amqp/message/batch.h"

#include <fmt/format.h>

#include "broker/doors/amqp/message/sections.h"
#include "broker/doors/amqp/types/descriptor.h"

namespace wharf::amqp {

Result<std::vector<std::string_view>> DataOf(std::string_view body, std::size_t sections_max) {
  std::vector<std::string_view> data;
  Reader reader(body);
  while (!reader.at_end()) {
    reader.EnterDescribed();
    if (ReadDescriptor(reader) != descriptor::kData) reader.Fail("a section that is no data");
    data.push_back(reader.ReadBinary());
    reader.LeaveDescribed();
    if (data.size() > sections_max) reader.Fail(fmt::format("more than {} messages", sections_max));
  }
  if (!reader.ok()) return Status(ErrorCode::kArgumentError, reader.error());
  return data;
}

Result<std::vector<std::string_view>> SplitBatch(std::string_view batch, std::size_t messages_max,
                                                 const DecodeLimits& limits) {
  const Result<Sections> sections = SplitSections(batch, limits);
  if (!sections.ok()) return sections.status();
  if (sections->body_kind != BodyKind::kData) {
    return Status(ErrorCode::kArgumentError, "a batch whose body is no data");
  }
  return DataOf(sections->body, messages_max);
}

}  // namespace wharf::amqp
