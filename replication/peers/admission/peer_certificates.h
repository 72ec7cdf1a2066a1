// PeerCertificates: with what a node proves to its peers who it is, and whom of them it believes.
//
// Both ends of a stream need a certificate of the cluster's authority, and TLS 1.3. What the files
// hold is checked as a whole before it is used: the certificate is this node's own, its key fits,
// the authority vouches for it, today. They are read again when they change, for streams from then
// on; what is wrong then changes nothing and is told. Made by the daemon, which also says when to
// look: a disk that hangs must not hold up heartbeats. Any thread.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "absl/base/thread_annotations.h"
#include "replication/identity/peer_authority.h"
#include "storage/base/mutex.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

class PeerCertificates {
 public:
  // What the files hold; never changes.
  struct Content {
    Timestamp ends_at;  // Of the node's certificate.
    std::shared_ptr<boost::asio::ssl::context> context;
  };

  // For the node of this name; or what is wrong, in a sentence.
  static Result<std::shared_ptr<PeerCertificates>> Load(const PeerCredentials& files,
                                                        const std::string& node_name);

  std::shared_ptr<const Content> content() const;

  // Reads the files anew if they have changed and then stayed as they are from one look to the
  // next: who replaces two of them needs a moment.
  void Look();
  // Reads them anew; for who says that they have changed.
  void Reload();

 private:
  // Changes with a file, if it is replaced or written.
  using Marks = std::string;

  PeerCertificates(PeerCredentials files, std::string node_name, Marks marks,
                   std::shared_ptr<const Content> content);

  static Marks MarksOf(const PeerCredentials& files);
  static Result<std::shared_ptr<const Content>> Read(const PeerCredentials& files,
                                                     const std::string& node_name);

  void ReadAnew() ABSL_EXCLUSIVE_LOCKS_REQUIRED(look_mutex_);

  const PeerCredentials files_;
  const std::string node_name_;
  Mutex look_mutex_;
  Marks read_marks_ ABSL_GUARDED_BY(look_mutex_);
  Marks seen_marks_ ABSL_GUARDED_BY(look_mutex_);
  mutable Mutex mutex_;
  std::shared_ptr<const Content> content_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
