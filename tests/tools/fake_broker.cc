#include "tests/tools/fake_broker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "google/rpc/error_details.pb.h"

namespace wharf::client {
namespace {

google::rpc::Status MakeError(int code, const std::string& reason, const std::string& leader = "") {
  google::rpc::ErrorInfo info;
  info.set_domain("wharf");
  info.set_reason(reason);
  (*info.mutable_metadata())["outcome"] = "not-done";
  if (!leader.empty()) (*info.mutable_metadata())["leader"] = leader;
  google::rpc::Status error;
  error.set_code(code);
  error.set_message("the test wants it so");
  error.add_details()->PackFrom(info);
  return error;
}

}  // namespace

FakeBroker::FakeBroker() { Start(); }

// On the port that it had before, if any.
void FakeBroker::Start() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address(), grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(this);
  builder.RegisterService(&clock_);
  builder.RegisterService(&transactions_);
  server_ = builder.BuildAndStart();
}

FakeBroker::~FakeBroker() {
  Break();
  server_->Shutdown();
}

std::string FakeBroker::address() const { return "127.0.0.1:" + std::to_string(port_); }

void FakeBroker::HoldReceipts() {
  const std::lock_guard lock(mutex_);
  holds_receipts_ = true;
}

void FakeBroker::ReleaseReceipts() {
  const std::lock_guard lock(mutex_);
  holds_receipts_ = false;
  changed_.notify_all();
}

void FakeBroker::RefuseBody(const std::string& body) {
  const std::lock_guard lock(mutex_);
  refused_bodies_.insert(body);
}

v1::SendStreamRequest FakeBroker::WaitForSend(std::size_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return sends_.size() >= number; });
  return sends_[number - 1];
}

std::size_t FakeBroker::send_count() {
  const std::lock_guard lock(mutex_);
  return sends_.size();
}

void FakeBroker::AddMessages(int count) {
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < count; ++i) {
    v1::ReceivedMessage& message = messages_.emplace_back();
    message.set_sequence_number(++last_number_);
    message.set_lock_token(TokenOf(last_number_));
    message.set_size(100);
    message.mutable_message()->set_body(std::to_string(last_number_));
  }
}

void FakeBroker::AcceptSession(const std::string& id) {
  const std::lock_guard lock(mutex_);
  accepted_sessions_.emplace_back().mutable_session_accepted()->set_session_id(id);
}

void FakeBroker::EndSession(const std::string& id) {
  const std::lock_guard lock(mutex_);
  ended_sessions_.emplace_back().mutable_session_ended()->set_session_id(id);
}

void FakeBroker::AddLargeMessage(const std::string& body) {
  const std::lock_guard lock(mutex_);
  large_body_ = body;
}

std::string FakeBroker::TokenOf(std::int64_t number) {
  std::string token = std::to_string(number);
  token.resize(16, '.');
  return token;
}

void FakeBroker::LoseLock(const std::string& token) {
  const std::lock_guard lock(mutex_);
  lost_locks_.insert(token);
}

void FakeBroker::HoldSettlements() {
  const std::lock_guard lock(mutex_);
  holds_settlements_ = true;
}

v1::ReceiveStreamRequest FakeBroker::WaitForReceive(std::size_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return receives_.size() >= number; });
  return receives_[number - 1];
}

v1::SettleRequest FakeBroker::WaitForSettle(std::size_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return settles_.size() >= number; });
  return settles_[number - 1];
}

bool FakeBroker::WaitForRenewals(const std::string& token, int count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(30),
                           [&] { return renewals_[token] >= count; });
}

int FakeBroker::renewals(const std::string& token) {
  const std::lock_guard lock(mutex_);
  return renewals_[token];
}

void FakeBroker::Break() {
  {
    const std::lock_guard lock(mutex_);
    is_broken_ = true;
    ++era_;
    changed_.notify_all();
  }
  server_->Shutdown(std::chrono::system_clock::now());
}

void FakeBroker::StopInOrder() {
  const std::lock_guard lock(mutex_);
  is_stopping_ = true;
}

void FakeBroker::EndInOrder() {
  const std::lock_guard lock(mutex_);
  ends_in_order_ = true;
  is_broken_ = true;
  ++era_;
  changed_.notify_all();
}

void FakeBroker::Mend() {
  bool is_shut_down = false;
  {
    const std::lock_guard lock(mutex_);
    is_shut_down = is_broken_ && !ends_in_order_;
    is_broken_ = is_stopping_ = ends_in_order_ = false;
  }
  if (is_shut_down) Start();
}

void FakeBroker::Follow(const std::string& leader) {
  const std::lock_guard lock(mutex_);
  leader_ = leader;
  ++era_;
  changed_.notify_all();
}

void FakeBroker::Lead() {
  const std::lock_guard lock(mutex_);
  leader_.reset();
}

int FakeBroker::asked_count() {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void FakeBroker::WaitForAsked(int count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return asked_ >= count; });
}

void FakeBroker::LoseAnswer() {
  const std::lock_guard lock(mutex_);
  loses_answer_ = true;
}

void FakeBroker::LoseAnswerAndLead() {
  const std::lock_guard lock(mutex_);
  loses_answer_ = loses_lead_ = true;
}

grpc::Status FakeBroker::Elsewhere() const {
  if (!leader_) return grpc::Status::OK;
  return {
      grpc::StatusCode::UNAVAILABLE, "another one leads",
      MakeError(grpc::StatusCode::UNAVAILABLE, "PartitionNotOwned", *leader_).SerializeAsString()};
}

grpc::Status FakeBroker::NoteAsked() {
  const std::lock_guard lock(mutex_);
  ++asked_;
  changed_.notify_all();
  return Elsewhere();
}

grpc::Status FakeBroker::NoteCall() {
  grpc::Status elsewhere = NoteAsked();
  if (!elsewhere.ok()) return elsewhere;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(loses_answer_, false)) return grpc::Status::OK;
  if (std::exchange(loses_lead_, false)) leader_ = "";
  return {grpc::StatusCode::UNAVAILABLE, "the connection broke"};
}

grpc::Status FakeBroker::FakeClock::Get(grpc::ServerContext*, const v1::GetClockRequest*,
                                        v1::ClockTime*) {
  grpc::Status elsewhere = broker_.NoteAsked();
  if (!elsewhere.ok()) return elsewhere;
  return {grpc::StatusCode::FAILED_PRECONDITION, "the clock is not manual"};
}

grpc::Status FakeBroker::FakeTransactions::RunTransaction(grpc::ServerContext*,
                                                          const v1::RunTransactionRequest*,
                                                          v1::Transaction*) {
  return broker_.NoteCall();
}

grpc::Status FakeBroker::Send(grpc::ServerContext*, const v1::SendRequest*, v1::SendResponse*) {
  return NoteCall();
}

grpc::Status FakeBroker::Peek(grpc::ServerContext*, const v1::PeekRequest*, v1::PeekResponse*) {
  return NoteCall();
}

grpc::Status FakeBroker::End() {
  const std::lock_guard lock(mutex_);
  if (leader_) return Elsewhere();
  if (!is_broken_) return grpc::Status::OK;
  if (!ends_in_order_) return {grpc::StatusCode::UNAVAILABLE, "broken"};
  return {
      grpc::StatusCode::UNAVAILABLE, "the broker is stopping",
      MakeError(grpc::StatusCode::UNAVAILABLE, "ServiceCommunicationProblem").SerializeAsString()};
}

grpc::Status FakeBroker::SendStream(grpc::ServerContext*, SendCall* call) {
  if (grpc::Status elsewhere = NoteAsked(); !elsewhere.ok()) return elsewhere;
  std::unique_lock lock(mutex_);
  const std::uint64_t era = era_;
  v1::SendStreamRequest request;
  while (IsServed(era)) {
    lock.unlock();
    const bool is_read = call->Read(&request);
    lock.lock();
    if (!is_read) break;
    sends_.push_back(request);
    changed_.notify_all();
    changed_.wait(lock, [&] { return !holds_receipts_ || !IsServed(era); });
    if (!IsServed(era) || request.has_header()) continue;
    if (!request.send().messages().empty()) {
      call->Write(MakeReceipt(request));
    }
  }
  lock.unlock();
  return End();
}

v1::SendStreamResponse FakeBroker::MakeReceipt(const v1::SendStreamRequest& request) {
  v1::SendStreamResponse response;
  response.set_request_id(request.request_id());
  for (const v1::Message& message : request.send().messages()) {
    if (is_stopping_) {
      *response.add_results()->mutable_error() =
          MakeError(grpc::StatusCode::UNAVAILABLE, "ServiceCommunicationProblem");
    } else if (refused_bodies_.contains(message.body())) {
      *response.add_results()->mutable_error() =
          MakeError(grpc::StatusCode::RESOURCE_EXHAUSTED, "QuotaExceeded");
    } else {
      response.add_results()->set_sequence_number(++last_number_);
    }
  }
  return response;
}

grpc::Status FakeBroker::ReceiveStream(grpc::ServerContext*, ReceiveCall* call) {
  if (grpc::Status elsewhere = NoteAsked(); !elsewhere.ok()) return elsewhere;
  std::unique_lock lock(mutex_);
  const std::uint64_t era = era_;
  v1::ReceiveCredit credit;
  v1::ReceiveStreamRequest request;
  while (IsServed(era)) {
    lock.unlock();
    const bool is_read = call->Read(&request);
    lock.lock();
    if (!is_read) break;
    receives_.push_back(request);
    changed_.notify_all();
    Answer(request, *call, credit);
  }
  lock.unlock();
  return End();
}

void FakeBroker::Answer(const v1::ReceiveStreamRequest& request, ReceiveCall& call,
                        v1::ReceiveCredit& credit) {
  v1::ReceiveStreamResponse response;
  switch (request.request_case()) {
    case v1::ReceiveStreamRequest::kStart:
      response.mutable_started()->mutable_lock_duration()->set_nanos(400'000'000);
      break;
    case v1::ReceiveStreamRequest::kGrant:
      credit.set_messages(credit.messages() + request.grant().messages());
      credit.set_bytes(credit.bytes() + request.grant().bytes());
      WriteAll(accepted_sessions_, call);
      if (!large_body_.empty()) WriteLargeMessage(call);
      if (!messages_.empty()) call.Write(NextDeliveries(credit));
      return WriteAll(ended_sessions_, call);
    case v1::ReceiveStreamRequest::kSettle:
      if (holds_settlements_) return;
      response = Settled(request.settle());
      break;
    case v1::ReceiveStreamRequest::kDrain:
      *response.mutable_drained() = credit;
      credit.Clear();
      break;
    default:
      response.mutable_stopped();
      break;
  }
  call.Write(response);
}

v1::ReceiveStreamResponse FakeBroker::NextDeliveries(v1::ReceiveCredit& credit) {
  v1::ReceiveStreamResponse response;
  while (credit.messages() > 0 && !messages_.empty()) {
    credit.set_messages(credit.messages() - 1);
    *response.mutable_deliveries()->add_messages() = std::move(messages_.front());
    messages_.pop_front();
  }
  return response;
}

void FakeBroker::WriteAll(std::vector<v1::ReceiveStreamResponse>& responses, ReceiveCall& call) {
  for (const v1::ReceiveStreamResponse& response : responses) call.Write(response);
  responses.clear();
}

void FakeBroker::WriteLargeMessage(ReceiveCall& call) {
  constexpr std::size_t kChunkBytes = 256 << 10;
  v1::ReceiveStreamResponse response;
  response.mutable_header()->set_body_size(static_cast<std::int64_t>(large_body_.size()));
  response.mutable_header()->mutable_message()->set_sequence_number(++last_number_);
  call.Write(response);
  for (std::size_t at = 0; at < large_body_.size(); at += kChunkBytes) {
    response.mutable_chunk()->set_data(large_body_.substr(at, kChunkBytes));
    call.Write(response);
  }
  large_body_.clear();
}

v1::ReceiveStreamResponse FakeBroker::Settled(const v1::StreamSettle& settle) {
  v1::ReceiveStreamResponse response;
  v1::SettleOutcome& outcome = *response.mutable_settled();
  outcome.set_request_id(settle.request_id());
  for (const std::string& token : settle.settlement().lock_tokens()) {
    if (!lost_locks_.contains(token)) {
      outcome.set_settled(outcome.settled() + 1);
      continue;
    }
    AddResult(token, *outcome.add_failures());
  }
  return response;
}

void FakeBroker::AddResult(const std::string& token, v1::TokenResult& result) const {
  result.set_lock_token(token);
  if (!lost_locks_.contains(token)) return;
  *result.mutable_error() = MakeError(grpc::StatusCode::ABORTED, "MessageLockLost");
}

grpc::Status FakeBroker::Settle(grpc::ServerContext*, const v1::SettleRequest* request,
                                v1::SettleResponse* response) {
  const std::lock_guard lock(mutex_);
  settles_.push_back(*request);
  changed_.notify_all();
  for (const std::string& token : request->settlement().lock_tokens()) {
    AddResult(token, *response->add_results());
  }
  return grpc::Status::OK;
}

grpc::Status FakeBroker::RenewLock(grpc::ServerContext*, const v1::RenewLockRequest* request,
                                   v1::RenewLockResponse* response) {
  const std::lock_guard lock(mutex_);
  if (is_broken_) return {grpc::StatusCode::UNAVAILABLE, "broken"};
  for (const std::string& token : request->lock_tokens()) {
    ++renewals_[token];
    AddResult(token, *response->add_results());
  }
  changed_.notify_all();
  return grpc::Status::OK;
}

}  // namespace wharf::client
