#include "tools/client/token_source.h"

#include <utility>

#include "absl/base/thread_annotations.h"
#include "broker/access/token.h"
#include "storage/base/mutex.h"

namespace wharf::client {
namespace {

class GivenToken final : public TokenSource {
 public:
  explicit GivenToken(std::string token) : token_(std::move(token)) {}
  std::string Token() override { return token_; }

 private:
  const std::string token_;
};

class MadeTokens final : public TokenSource {
 public:
  MadeTokens(access::ConnectionString connection, std::function<Timestamp()> wall)
      : connection_(std::move(connection)), wall_(std::move(wall)) {}

  std::string Token() override {
    const Timestamp now = wall_();
    MutexLock lock(mutex_);
    if (until_ - now < kTokenLife / 2 || until_ - now > kTokenLife) {
      until_ = now + kTokenLife;
      token_ = access::MakeToken(connection_.Uri(), connection_.key_name, connection_.key, until_);
    }
    return token_;
  }

 private:
  const access::ConnectionString connection_;
  const std::function<Timestamp()> wall_;
  Mutex mutex_;
  std::string token_ ABSL_GUARDED_BY(mutex_);
  Timestamp until_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::shared_ptr<TokenSource> TokensOf(const access::ConnectionString& connection,
                                      std::function<Timestamp()> wall) {
  if (!connection.signature.empty()) return std::make_shared<GivenToken>(connection.signature);
  if (connection.key.empty()) return nullptr;
  return std::make_shared<MadeTokens>(connection, std::move(wall));
}

}  // namespace wharf::client
