#include "tools/wharf/messages/left_out_body.h"

namespace wharf::tool {

Status ReadLeftOutBody(client::Client& client, const std::string& path,
                       v1::ReceivedMessage& message) {
  v1::PeekBodyRequest request;
  request.set_entity_path(path);
  request.set_sequence_number(message.sequence_number());
  std::string& body = *message.mutable_message()->mutable_body();
  for (;;) {
    const auto piece = client.PeekBody(request);
    if (!piece.ok()) return piece.status();
    body.reserve(static_cast<std::size_t>(piece->body_size()));
    body += piece->data();
    if (!piece->has_next_byte()) return {};
    request.set_from_byte(piece->next_byte());
  }
}

}  // namespace wharf::tool
