#include "broker/doors/grpc/services/item_scan.h"

#include <absl/container/flat_hash_map.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <google/protobuf/wire_format_lite.h>
#include <grpcpp/support/proto_buffer_reader.h>

namespace wharf {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MessageFactory;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr int kDepthMax = 8;
// Of a map, about; the same key twice is one entry.
constexpr std::size_t kEntryBytes = 128;
constexpr std::size_t kTextBytes = 64;

bool IsMessage(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

bool HoldsLists(const Descriptor& type, int depth) {
  if (depth > kDepthMax) return true;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (!IsMessage(field) || field.is_map()) continue;
    if (field.is_repeated() || HoldsLists(*field.message_type(), depth + 1)) return true;
  }
  return false;
}

// One of many texts, and what nobody knows, which is kept as well.
bool TakesMoreThanItIs(const FieldDescriptor* field) {
  return field == nullptr ||
         (field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING);
}

struct Item {
  std::size_t bytes = 0;
  bool holds_lists = false;
};

Item MakeItem(const Descriptor& type) {
  if (type.options().map_entry()) return {.bytes = kEntryBytes};
  const auto* const made = MessageFactory::generated_factory()->GetPrototype(&type);
  return {.bytes = made->SpaceUsedLong(), .holds_lists = HoldsLists(type, 0)};
}

const Item& ItemOf(const Descriptor& type) {
  thread_local absl::flat_hash_map<const Descriptor*, Item> known;
  const auto found = known.find(&type);
  return found != known.end() ? found->second : known.emplace(&type, MakeItem(type)).first->second;
}

class Scan {
 public:
  explicit Scan(CodedInputStream& in) : in_(in) {}

  // False: there are too many, or it cannot be read on.
  bool Pass(const Descriptor& type, int depth) {
    while (const std::uint32_t tag = in_.ReadTag()) {
      const FieldDescriptor* const field =
          type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      const bool is_item =
          field != nullptr && IsMessage(*field) &&
          WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
      if (!is_item && TakesMoreThanItIs(field)) bytes_ += kTextBytes;
      const bool goes_on =
          is_item ? PassItem(*field->message_type(), depth) : WireFormatLite::SkipField(&in_, tag);
      if (!goes_on || has_too_many()) return false;
    }
    return true;
  }
  bool has_too_many() const { return bytes_ > kItemBytesMax; }

 private:
  bool PassItem(const Descriptor& type, int depth) {
    const Item& item = ItemOf(type);
    bytes_ += item.bytes;
    std::uint32_t length = 0;
    if (has_too_many() || !in_.ReadVarint32(&length)) return false;
    if (!item.holds_lists || depth >= kDepthMax) return in_.Skip(static_cast<int>(length));
    const CodedInputStream::Limit outer = in_.PushLimit(static_cast<int>(length));
    const bool goes_on = Pass(type, depth + 1);
    in_.PopLimit(outer);
    return goes_on;
  }

  CodedInputStream& in_;
  std::size_t bytes_ = 0;
};

}  // namespace

bool HasTooManyItems(grpc::ByteBuffer& bytes, const Descriptor& type) {
  if (bytes.Length() < kScannedBytesMin) return false;
  // It gives back the bytes that it took.
  grpc::ByteBuffer looked_at(bytes);
  grpc::ProtoBufferReader reader(&looked_at);
  if (!reader.status().ok()) return false;
  CodedInputStream in(&reader);
  Scan scan(in);
  static_cast<void>(scan.Pass(type, 0));
  return scan.has_too_many();
}

}  // namespace wharf
