// filter_bench: what filters cost, one by one and as many as a topic may have (RUL-14).
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include "broker/filter/correlation_index.h"
#include "broker/filter/message_view.h"
#include "broker/filter/sql_action.h"
#include "broker/filter/sql_filter.h"
#include "storage/base/random.h"

namespace wharf {
namespace {

// Eight application properties, as an order might have.
Message MakeOrder() {
  Message order;
  order.subject = "order";
  order.correlation_id = "customer-77";
  order.application_properties = {{"region", std::string("north")},
                                  {"priority", std::int32_t{3}},
                                  {"amount", 12.5},
                                  {"customer", std::string("customer-77")},
                                  {"paid", true},
                                  {"channel", std::string("web")},
                                  {"items", std::int64_t{4}},
                                  {"color", std::string("red")}};
  return order;
}

void Evaluate(benchmark::State& state, const std::string& text) {
  const SqlFilter filter = *SqlFilter::Compile(text);
  const Message order = MakeOrder();
  const MessageView view(order);
  SeededRandom random(1);
  while (state.KeepRunning()) benchmark::DoNotOptimize(filter.Evaluate(view, random));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(Evaluate, text_equal, std::string("color = 'red'"));
BENCHMARK_CAPTURE(Evaluate, text_unequal, std::string("color = 'blue'"));
BENCHMARK_CAPTURE(Evaluate, missing, std::string("colour = 'blue'"));
BENCHMARK_CAPTURE(Evaluate, number, std::string("priority > 5"));
BENCHMARK_CAPTURE(Evaluate, system_property, std::string("sys.Label = 'order'"));
BENCHMARK_CAPTURE(Evaluate, arithmetic, std::string("amount * 2 + items >= 30"));
BENCHMARK_CAPTURE(Evaluate, like, std::string("customer LIKE 'customer-%'"));
BENCHMARK_CAPTURE(Evaluate, in_list, std::string("region IN ('east', 'south', 'west', 'north')"));
BENCHMARK_CAPTURE(Evaluate, three_conditions,
                  std::string("color = 'red' AND priority > 1 AND sys.Label = 'order'"));
BENCHMARK_CAPTURE(Evaluate, joined_texts, std::string("region + '-' + color = 'north-red'"));

void Compile(benchmark::State& state) {
  while (state.KeepRunning()) {
    benchmark::DoNotOptimize(
        SqlFilter::Compile("color = 'red' AND priority > 1 AND sys.Label = 'order'"));
  }
}
BENCHMARK(Compile);

void View(benchmark::State& state) {
  const Message order = MakeOrder();
  while (state.KeepRunning()) benchmark::DoNotOptimize(MessageView(order));
}
BENCHMARK(View);

// All that a topic with the largest number of SQL filters does for one message; ten match.
void TwoThousandSqlFilters(benchmark::State& state) {
  constexpr int kFilters = 2000;
  std::vector<SqlFilter> filters;
  filters.reserve(kFilters);
  for (int i = 0; i < kFilters; ++i) {
    filters.push_back(*SqlFilter::Compile(
        i < 10 ? "customer = 'customer-77'" : fmt::format("customer = 'customer-{}'", i + 100)));
  }
  const Message order = MakeOrder();
  SeededRandom random(1);
  while (state.KeepRunning()) {
    const MessageView view(order);
    int matching = 0;
    for (const SqlFilter& filter : filters) {
      matching += *filter.Evaluate(view, random) == Truth::kTrue ? 1 : 0;
    }
    if (matching != 10) state.SkipWithError("not ten match");
  }
}
BENCHMARK(TwoThousandSqlFilters);

void TwentyThousandCorrelationFilters(benchmark::State& state) {
  CorrelationIndex index;
  for (CorrelationIndex::Id id = 0; id < 20'000; ++id) {
    const std::string customer =
        id < 10 ? std::string("customer-77") : fmt::format("customer-{}", id + 100);
    if (id % 2 == 0) {
      index.Add({.correlation_id = customer}, id);
    } else {
      index.Add({.application_properties = {{"customer", customer}, {"paid", true}}}, id);
    }
  }
  const Message order = MakeOrder();
  std::vector<CorrelationIndex::Id> ids;
  while (state.KeepRunning()) {
    ids.clear();
    index.Match(MessageView(order), ids);
    if (ids.size() != 10) state.SkipWithError("not ten match");
  }
}
BENCHMARK(TwentyThousandCorrelationFilters);

void Apply(benchmark::State& state) {
  const SqlAction action =
      *SqlAction::Compile("SET sys.Label = 'late'; SET priority = priority + 1");
  Message order = MakeOrder();
  SeededRandom random(1);
  while (state.KeepRunning()) benchmark::DoNotOptimize(action.Apply(order, {}, random));
}
BENCHMARK(Apply);

}  // namespace
}  // namespace wharf
