#include "broker/core/changes/change.h"

namespace wharf {

// A list that grows moves its changes only if that cannot fail.
static_assert(std::is_nothrow_move_constructible_v<AnyChange>);

Change::Change(const Change& other) = default;
Change::Change(Change&& other) noexcept = default;
Change& Change::operator=(const Change& other) = default;
Change& Change::operator=(Change&& other) noexcept = default;
Change::~Change() = default;

}  // namespace wharf
