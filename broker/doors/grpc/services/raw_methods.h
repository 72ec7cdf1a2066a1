// RawMethods: a generated service whose methods get their requests as bytes (call.h).
//
//   RawMethods<v1::Clock::Service, v1::Clock::WithRawCallbackMethod_Get, ...>
//
// Used by the services to inherit from.
#pragma once

namespace wharf {

template <typename Service, template <typename> class... Methods>
struct RawMethodsOf {
  using Type = Service;
};
template <typename Service, template <typename> class First, template <typename> class... Rest>
struct RawMethodsOf<Service, First, Rest...> {
  using Type = First<typename RawMethodsOf<Service, Rest...>::Type>;
};

template <typename Service, template <typename> class... Methods>
using RawMethods = typename RawMethodsOf<Service, Methods...>::Type;

}  // namespace wharf
