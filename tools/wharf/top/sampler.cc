#include "tools/wharf/top/sampler.h"

#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace wharf::tool {
namespace {

// A broker that takes longer does not answer; whoever wants an end waits for as long.
constexpr Duration kPatience = std::chrono::seconds(2);

}  // namespace

Sampler::Sampler(const client::Target& target, std::chrono::milliseconds interval)
    : client_(target, {.has_own_connection = true, .timeout = kPatience}),
      interval_(interval),
      descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

Sampler::~Sampler() {
  {
    MutexLock lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<Sampler::News> Sampler::Take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(descriptor_, &count, sizeof(count));
  MutexLock lock(mutex_);
  return std::exchange(news_, std::nullopt);
}

void Sampler::WantLocks(std::optional<std::string> path) {
  {
    MutexLock lock(mutex_);
    if (locks_of_ == path) return;
    is_hurried_ = path.has_value();
    locks_of_ = std::move(path);
  }
  changed_.notify_all();
}

void Sampler::Run() {
  std::chrono::steady_clock::time_point next;
  do {
    next = std::chrono::steady_clock::now() + interval_;
    std::optional<std::string> locks_of;
    {
      MutexLock lock(mutex_);
      is_hurried_ = false;
      locks_of = locks_of_;
    }
    News news = Look(locks_of);
    {
      MutexLock lock(mutex_);
      news_ = std::move(news);
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t told = write(descriptor_, &one, sizeof(one));
  } while (WaitForNext(next));
}

Sampler::News Sampler::Look(const std::optional<std::string>& locks_of) {
  News news{ReadSample(client_.management(), is_ended_)};
  if (locks_of && news.sample.ok()) news.locks = ReadLocks(client_.management(), *locks_of);
  return news;
}

bool Sampler::WaitForNext(std::chrono::steady_clock::time_point at) {
  MutexLock lock(mutex_);
  while (!is_ended_ && !is_hurried_) {
    if (changed_.wait_until(mutex_, at) == std::cv_status::timeout) break;
  }
  return !is_ended_;
}

}  // namespace wharf::tool
