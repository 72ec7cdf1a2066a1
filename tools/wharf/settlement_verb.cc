#include "tools/wharf/settlement_verb.h"

namespace wharf::tool {

v1::Settlement MakeSettlement(Verb verb, const VerbDetails& details) {
  v1::Settlement settlement;
  switch (verb) {
    case Verb::kComplete:
      settlement.mutable_complete();
      break;
    case Verb::kAbandon:
      *settlement.mutable_abandon()->mutable_properties_to_modify() = details.properties_to_modify;
      break;
    case Verb::kDeadLetter: {
      v1::DeadLetter& verb_fields = *settlement.mutable_dead_letter();
      if (!details.reason.empty()) verb_fields.set_reason(details.reason);
      if (!details.description.empty()) verb_fields.set_description(details.description);
      *verb_fields.mutable_properties_to_modify() = details.properties_to_modify;
      break;
    }
    case Verb::kRelease:
      settlement.mutable_release();
      break;
  }
  return settlement;
}

}  // namespace wharf::tool
