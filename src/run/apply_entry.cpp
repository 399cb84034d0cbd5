#include "run/apply.h"

namespace lakebed::run {

cdc::Entry to_kernel(const state::Entry& entry) {
  cdc::Entry out;
  out.sequence = entry.sequence;
  out.value_hash = entry.is_delete() ? 0 : entry.value_hash;
  out.tracked_hash = entry.is_delete() ? 0 : entry.tracked_hash;
  out.payload = entry.payload;
  out.place = {entry.file, entry.row};
  out.kind = entry.kind() == state::EntryKind::kHidden ? cdc::EntryKind::kAbsorbed
             : entry.is_delete()                       ? cdc::EntryKind::kDelete
                                                       : cdc::EntryKind::kHead;
  return out;
}

state::Entry to_memory(const Hash128& key, const cdc::Entry& entry) {
  state::Entry out;
  out.key = key;
  out.sequence = entry.sequence;
  out.value_hash = entry.value_hash;
  out.tracked_hash = entry.tracked_hash;
  out.payload = entry.payload;
  if (entry.kind == cdc::EntryKind::kAbsorbed) out.flags |= state::kHiddenBit;
  if (entry.is_delete()) out.flags |= state::kDeleteBit;
  if (entry.kind == cdc::EntryKind::kHead) {
    out.flags |= state::kHasPlaceBit;
    out.file = entry.place.file;
    out.row = entry.place.row;
  }
  return out;
}

Status apply_events(ApplyContext& context, const EventBatch& batch, TargetCommit& commit,
                    cdc::Metrics& metrics) {
  if (context.plan.kind == TargetKind::kScd2) return apply_scd2(context, batch, commit, metrics);
  if (context.plan.kind == TargetKind::kBitemporal) {
    return apply_bitemporal(context, batch, commit, metrics);
  }
  return apply_scd1(context, batch, commit, metrics);
}

}  // namespace lakebed::run
