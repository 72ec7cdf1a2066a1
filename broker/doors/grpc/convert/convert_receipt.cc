// What became of each message or token of a request.

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/errors.h"

namespace wharf {

void ToProto(const Result<SendOutcome>& result, const AboutRequest& about, v1::SendResult* proto) {
  if (!result.ok()) {
    *proto->mutable_error() = ToProto(result.status(), about);
  } else if (result->is_duplicate) {
    proto->set_duplicate_of(static_cast<std::int64_t>(result->number.value()));
  } else {
    proto->set_sequence_number(static_cast<std::int64_t>(result->number.value()));
  }
}

void RenewToProto(const RenewReceipt& receipt,
                  const google::protobuf::RepeatedPtrField<std::string>& tokens,
                  const AboutRequest& about,
                  google::protobuf::RepeatedPtrField<v1::TokenResult>* results) {
  for (std::size_t i = 0; i < receipt.size(); ++i) {
    v1::TokenResult* result = results->Add();
    result->set_lock_token(tokens.Get(static_cast<int>(i)));
    if (receipt[i].ok()) {
      ToProto(*receipt[i], result->mutable_locked_until());
    } else {
      *result->mutable_error() = ToProto(receipt[i].status(), about);
    }
  }
}

}  // namespace wharf
