// token_bench: what a token costs: once for each connection, and with each call on it.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "broker/access/guard.h"
#include "tests/access/sample_rules.h"

namespace wharf::access {
namespace {

constexpr char kPath[] = "orders";

// As many rules as 1,000 queues may have.
Guard::BookPtr MakeBook() {
  Book book;
  for (int queue = 0; queue < 1000; ++queue) {
    for (std::size_t rule = 0; rule < kRulesMax; ++rule) {
      book = book.With(fmt::format("queue-{}", queue),
                       SampleRule(fmt::format("rule-{}", rule), Right::kSend));
    }
  }
  return std::make_shared<const Book>(book.With(kPath, SampleRule("shop", Right::kSend)));
}

std::unique_ptr<Guard> MakeGuard() {
  return std::make_unique<Guard>(MakeBook(), [] { return kSampleNow; });
}

std::string TokenUntil(Timestamp until) {
  return MakeToken("sb://broker.example.org/orders", "shop", kKeyOne, until);
}

// Each is another one, so that none is known.
void First(benchmark::State& state) {
  const auto guard = MakeGuard();
  std::vector<std::string> tokens;
  for (int i = 0; i < 100'000; ++i) {
    tokens.push_back(TokenUntil(kSampleLater + std::chrono::seconds(i)));
  }
  std::size_t next = 0;
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(guard->Prove(tokens[next++ % tokens.size()]));
  }
}
BENCHMARK(First);

// All that a call asks: whether its token is known, and whether what that proved gives the right.
void EachCall(benchmark::State& state) {
  static const auto guard = MakeGuard();
  const std::string token = TokenUntil(kSampleLater);
  const std::string path = kPath;
  while (state.KeepRunning()) {
    const Result<PermitPtr> permit = guard->Prove(token);
    benchmark::DoNotOptimize(guard->Check(*permit, Right::kSend, path));
  }
}
BENCHMARK(EachCall)->Threads(1)->Threads(2);

// A message on a stream, whose permit is there.
void EachRequestOfAStream(benchmark::State& state) {
  const auto guard = MakeGuard();
  const PermitPtr permit = *guard->Prove(TokenUntil(kSampleLater));
  const std::string path = kPath;
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(guard->Check(permit, Right::kSend, path));
  }
}
BENCHMARK(EachRequestOfAStream);

}  // namespace
}  // namespace wharf::access
