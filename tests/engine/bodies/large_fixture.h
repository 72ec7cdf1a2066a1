// LargeFixture: a broker whose queue "orders" takes large messages, and what it takes to send and
// read them piece by piece.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/job_rows.h"
#include "tests/harness/message_accounts.h"

namespace wharf {

// Five rows, the last of them short.
inline constexpr std::size_t kLargeBytes = 4 * kBodyChunkBytes + 1000;

// Bytes that are different everywhere.
inline std::string LargeBody(std::size_t bytes = kLargeBytes) {
  std::string body(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) body[i] = static_cast<char>(i * 7 + i / 251);
  return body;
}

// An upload as its door sees it.
struct TestUpload {
  std::shared_ptr<UploadHandle> upload;
  std::shared_ptr<std::optional<Result<SendOutcome>>> receipt =
      std::make_shared<std::optional<Result<SendOutcome>>>();
  std::shared_ptr<int> rows_stored = std::make_shared<int>(0);

  // Gives the body, or the part of it, in pieces; how many rows that made.
  std::size_t Write(std::string_view body, std::size_t piece = kBodyChunkBytes) const {
    std::size_t rows = 0;
    for (; !body.empty(); body.remove_prefix(std::min(piece, body.size()))) {
      rows += upload->Write(std::string(body.substr(0, piece)));
    }
    return rows;
  }
  ErrorCode code() const {
    return receipt->has_value() ? (*receipt)->status().code() : ErrorCode::kServiceTimeout;
  }
};

inline QueueDescription LargeQueue() {
  QueueDescription queue;
  queue.name = "orders";
  queue.lock_duration = std::chrono::seconds(30);
  queue.max_message_size_in_kilobytes = 102400;
  return queue;
}

inline TestUpload BeginUpload(Broker& broker, std::size_t bytes = kLargeBytes, Message message = {},
                              const std::string& path = "orders") {
  TestUpload begun;
  begun.upload = broker.BeginUpload(
      path, std::move(message), bytes, [rows = begun.rows_stored] { ++*rows; },
      [receipt = begun.receipt](const Result<SendOutcome>& sent) { receipt->emplace(sent); });
  return begun;
}

// One whose message comes behind its body.
inline TestUpload BeginApart(Broker& broker, std::size_t bytes,
                             const std::string& path = "orders") {
  TestUpload begun;
  begun.upload = broker.requests().Upload(
      {}, {.entity = {path}, .message = {}, .body_bytes = bytes, .ends_apart = true}, [] {},
      [receipt = begun.receipt](const Result<SendOutcome>& sent) { receipt->emplace(sent); });
  return begun;
}

// Of one whose end tells how long it is.
inline TestUpload BeginOpen(Broker& broker, const std::string& path = "orders") {
  TestUpload begun;
  begun.upload = broker.requests().Upload(
      {}, {.entity = {path}, .message = {}, .body_bytes = std::nullopt},
      [stored = begun.rows_stored] { ++*stored; },
      [receipt = begun.receipt](const Result<SendOutcome>& sent) { receipt->emplace(sent); });
  return begun;
}

class LargeFixture : public ReceiverFixture {
 protected:
  LargeFixture() {
    EXPECT_TRUE(engine_.UpdateQueue(LargeQueue()).ok());
    id_ = engine_.GetQueue("orders")->record.id;
  }

  TestUpload Begin(std::size_t bytes = kLargeBytes, Message message = {},
                   const std::string& path = "orders") {
    return BeginUpload(broker(), bytes, std::move(message), path);
  }
  // A whole one; its number.
  SequenceNumber SendLarge(Message message = {}) {
    const TestUpload upload = Begin(kLargeBytes, std::move(message));
    upload.Write(LargeBody());
    engine_.Run();
    EXPECT_EQ(upload.code(), ErrorCode::kOk);
    return upload.code() == ErrorCode::kOk ? (**upload.receipt)->number : SequenceNumber();
  }

  // All chunks of a body, or why one could not be read.
  Result<std::string> ReadBody(const BodyRef& body) {
    std::string bytes;
    for (std::uint32_t chunk = 0; bytes.size() < body.size; ++chunk) {
      Result<std::string> read = engine_.Await<std::string>([&](Answer<std::string> answer) {
        broker().ReadBodyChunk(body, chunk, std::move(answer));
      });
      if (!read.ok()) return read;
      bytes += *read;
    }
    return bytes;
  }

  std::size_t RowsOf(Table table, const KeyRange& range) {
    const auto view = engine_.store().View();
    std::size_t count = 0;
    for (const auto rows = view->Scan(IdOf(table), range); rows->valid(); rows->Next()) ++count;
    return count;
  }
  std::size_t BodyRows() { return RowsOf(Table::kBodies, EntityRange(id_)); }
  std::size_t Jobs(JobKind kind) { return KeysOfJobs(*engine_.store().View(), kind).size(); }
  std::size_t LooseBodies() { return Jobs(JobKind::kLooseBody); }

  EntityId id_;
};

}  // namespace wharf
