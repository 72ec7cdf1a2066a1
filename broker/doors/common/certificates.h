// Certificates: with what a listener proves who it is, and whom of its clients it believes.
//
// Read from files, looked at as a whole, and read again when they change: what is wrong then
// changes nothing and is told. Connections that there are keep what they began with. Made by the
// daemon's Listeners; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "absl/base/thread_annotations.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// Whether clients prove who they are with a certificate.
enum class ClientCertificate : std::uint8_t { kNone, kOptional, kRequired };

class Certificates {
 public:
  // Files of PEM.
  struct Files {
    std::string certificate{};  // With those that stand between it and its authority.
    std::string key{};
    std::string client_authority{};  // Empty: clients have none.
    ClientCertificate wanted = ClientCertificate::kRequired;
  };
  // What they hold, checked; never changes.
  struct Content {
    std::string certificate;
    std::string key;
    std::string client_authority;
    // Of the first certificate.
    Timestamp ends_at;
    // For who speaks TLS by OpenSSL.
    std::shared_ptr<boost::asio::ssl::context> context;
  };

  // Or what is wrong, in a sentence.
  static Result<std::shared_ptr<Certificates>> Load(const Files& files);
  // Whether they could be loaded, without a word to the log.
  static Status Check(const Files& files) { return Read(files).status(); }

  // Of the certificate that the other end has proven itself with, as RFC 2253 writes it; empty: it
  // has none.
  static std::string SubjectOfPeer(const SSL* connection);

  std::shared_ptr<const Content> content() const;
  ClientCertificate client_certificate() const {
    return files_.client_authority.empty() ? ClientCertificate::kNone : files_.wanted;
  }

  // Reads the files anew if they have changed and then stayed as they are from one look to the
  // next: who replaces two of them needs a moment.
  void Look();
  // Reads them anew; for who says that they have changed.
  void Reload();

 private:
  // Changes with a file, if it is replaced or written.
  using Marks = std::string;

  Certificates(Files files, Marks marks, std::shared_ptr<const Content> content);

  static Marks MarksOf(const Files& files);
  static Result<std::shared_ptr<const Content>> Read(const Files& files);

  void ReadAnew() ABSL_EXCLUSIVE_LOCKS_REQUIRED(look_mutex_);

  const Files files_;
  Mutex look_mutex_;
  Marks read_marks_ ABSL_GUARDED_BY(look_mutex_);
  Marks seen_marks_ ABSL_GUARDED_BY(look_mutex_);
  mutable Mutex mutex_;
  std::shared_ptr<const Content> content_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
