#include "broker/doors/http/metrics.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "broker/doors/http/broker_metrics.h"
#include "broker/doors/http/cluster_metrics.h"
#include "broker/doors/http/entity_metrics.h"
#include "broker/doors/http/operators.h"

namespace wharf {
namespace {

// Each holds the numbers of all entities.
constexpr std::size_t kAnswersMax = 4;
// Prometheus waits for an answer no longer, unless it is told to; one takes less than a second.
constexpr Duration kLongEnough = std::chrono::seconds(10);

// One answer while it is read.
class Page {
 public:
  Page(std::unique_ptr<AnswerPlaces::Place> place, MetricText text,
       std::shared_ptr<const EntityNumbers> numbers)
      : place_(std::move(place)), text_(std::move(text)) {
    if (numbers != nullptr) entities_.emplace(*numbers);
  }

  std::string_view content_type() const { return text_.content_type(); }
  // Empty behind the end.
  std::string Next() {
    if (entities_ && !entities_->WriteSome(text_)) entities_.reset();
    if (!entities_ && !std::exchange(is_ended_, true)) text_.End();
    return text_.Take();
  }

 private:
  const std::unique_ptr<AnswerPlaces::Place> place_;
  MetricText text_;
  std::optional<EntityMetrics> entities_;
  bool is_ended_ = false;
};

}  // namespace

void AddMetrics(Router& router, MetricSources sources) {
  auto places = std::make_shared<AnswerPlaces>(kAnswersMax, kLongEnough, sources.now);
  const GuardGate& guard = sources.guard;
  auto answer = [places, sources = std::move(sources)](const HttpRequest& request) {
    auto place = places->Take(request.cut_off);
    if (place == nullptr) return TextResponse(503, "too many ask for this at a time; ask again");
    MetricText text(MetricText::FormatFor(request.accept));
    Write(ReadProcess(), text);
    Write(sources.health, text);
    if (sources.certificates != nullptr) Write(*sources.certificates->content(), text);
    WriteHttpConnections(sources.http_connections(), text);
    if (const auto console = sources.statistics.ReadConsole()) Write(*console, text);
    std::shared_ptr<const EntityNumbers> numbers;
    if (const auto read = sources.statistics.Read()) {
      Write(*read, text);
      numbers = read->entities;
    }
    if (const auto cluster = sources.statistics.ReadCluster()) Write(*cluster, text);
    auto page = std::make_unique<Page>(std::move(place), std::move(text), std::move(numbers));
    HttpResponse response{.type = std::string(page->content_type())};
    response.pieces = [page = std::move(page)] { return page->Next(); };
    return response;
  };
  router.Add("/metrics", ForOperators(guard, std::move(answer)));
}

}  // namespace wharf
