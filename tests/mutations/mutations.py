"""Bugs to plant: (rule, what is wrong then, file, text that stands there once, text instead)."""
import dataclasses


@dataclasses.dataclass
class Mutation:
    rule: str
    name: str
    file: str
    old: str
    new: str


MUTATIONS = [Mutation(*one) for one in [
    # ---- events ----
    ("E1", "a delete is tested before a truncate", "src/run/flow_plan.cpp",
     "{feed.truncate_when, integer(2)});",
     "{feed.delete_when ? feed.delete_when : feed.truncate_when,\n"
     "                           integer(feed.delete_when ? 1 : 2)});"),
    ("E2", "a deleted row is an upsert where COLUMNS leaves columns out", "src/run/flow_plan.cpp",
     "  if (feed.delete_when) node->children.insert(",
     "  if (feed.delete_when && !feed.columns) node->children.insert("),
    ("E3", "negative numbers order as unsigned ones", "src/value/order.cpp",
     "    default: return append_big_endian(static_cast<uint64_t>(item) ^ (1ULL << 63), out);",
     "    default: return append_big_endian(static_cast<uint64_t>(item), out);"),
    ("E3", "NaN keeps its sign", "src/value/order.cpp",
     "if (number != number) bits = 0x7FF8000000000000ULL;", ""),
    ("E3", "minus zero is lower than zero", "src/value/order.cpp",
     "  if (number == 0) number = 0.0;\n", ""),
    ("E4", "SCD 1: the earlier arrival wins a tie with what is known", "src/cdc/scd1.cpp",
     "    if (order < 0) return {};                                 // rule A2",
     "    if (order <= 0) return {};"),
    ("E4", "SCD 2: the first arrival of a batch wins a tie", "src/cdc/scd2_window.cpp",
     "  const Event& winner = same_sequence.back();",
     "  const Event& winner = same_sequence.front();"),
    ("E5", "SCD 1: a repeat writes its row again", "src/cdc/scd1.cpp",
     "    if (order == 0 && is_repeat(*winner, *known)) return {};  // rule E5",
     ""),
    ("E5", "SCD 2: a repeat is an event", "src/cdc/scd2_window.cpp",
     "  if (stood != nullptr && is_repeat(winner, *stood)) return;\n", ""),
    ("E6", "a NULL key is told before a NULL sequence", "src/run/event_batch.cpp",
     "  if (null_sequences_ > 0) {\n    return refusal(",
     "  if (null_sequences_ > 0 && null_keys_[0] == 0) {\n    return refusal("),
    ("E7", "COLUMNS puts columns in the order of names", "src/run/flow_plan.cpp",
     "    if (set.count(i) != feed.columns->all_except) selected.push_back(source[i]);\n  }\n",
     "    if (set.count(i) != feed.columns->all_except) selected.push_back(source[i]);\n  }\n"
     "  if (!feed.columns->all_except) selected.pop_back();\n"),
    # ---- SCD type 1 ----
    ("A1", "a delete of an unknown key leaves no tombstone", "src/cdc/scd1.cpp",
     "    if (!had_row) return {Scd1Action::kTombstone, &winner};",
     "    if (!had_row) return {};"),
    ("A2", "a late event replaces a newer one", "src/cdc/scd1.cpp",
     "    if (order < 0) return {};                                 // rule A2\n", ""),
    ("A2", "an equal row forgets that its sequence grew", "src/cdc/scd1.cpp",
     "return {Scd1Action::kRemember, &winner};", "return {};"),
    ("A3", "undeclared columns pass", "src/run/flow_plan.cpp",
     "    if (value::find_field(declared, field.name)) continue;\n    return project_error(",
     "    if (value::find_field(declared, field.name) || !declared.empty()) continue;\n"
     "    return project_error("),
    ("T1", "a truncate spares what stands at its sequence", "src/cdc/truncate.h",
     "return arrived_ && remembered_sequence <= cut_;",
     "return arrived_ && remembered_sequence < cut_;"),
    ("T1", "the mark of a truncate is forgotten after its batch", "src/cdc/truncate.cpp",
     "  if (remembered) {\n", "  if (remembered && !arrived.empty()) {\n"),
    ("T1", "a truncate drops what arrives after it at its sequence", "src/cdc/truncate.h",
     "return order < 0 || (order == 0 && event.arrival < arrival_);",
     "return order <= 0;"),
    # ---- SCD type 2 ----
    ("B1", "equal neighbours are rows of their own", "src/cdc/scd2.cpp",
     "                             nodes[at - 1].tracked_hash() == node.tracked_hash();",
     "                             nodes[at - 1].tracked_hash() + 1 == node.tracked_hash();"),
    ("B1", "a row shows its first event's values", "src/cdc/scd2.cpp",
     "  added.values = values_of(nodes[row.last]);", "  added.values = values_of(nodes[row.head]);"),
    ("B2", "the end of a cut row is not looked up", "src/cdc/scd2_window.cpp",
     "  gap_.ends_in_stretch = true;\n  keep(absorbed);\n  load_last_absorbed(absorbed, boundary);",
     "  gap_.ends_in_stretch = true;\n  keep(absorbed);"),
    ("B2", "a swallowed row keeps its own end", "src/cdc/scd2_window.cpp",
     "  keep(end);\n  load_last_absorbed(gap_.next, end);", "  keep(end);"),
    ("B3", "a row goes on over a delete", "src/cdc/scd2.cpp",
     "const bool continues = builder.open && at > 0 &&", "const bool continues = at > 0 &&"),
    ("B5", "a key in the list opens versions", "src/run/flow_plan.cpp",
     "  for (const size_t key : plan.keys) plan.tracked[key] = false;\n", ""),
    ("B5", "EXCEPT lists are taken as lists", "src/run/flow_plan.cpp",
     "    for (const size_t at : named) plan.tracked[at] = !feed.track_history->all_except;",
     "    for (const size_t at : named) plan.tracked[at] = true;"),
    ("B6", "events without a sequence are taken", "src/run/event_batch.cpp",
     "      if (null_sequences_++ == 0) sample_.clear();",
     "      if (row > part.rows && null_sequences_++ == 0) sample_.clear();"),
    ("B7", "reserved names pass", "src/run/flow_plan.cpp",
     "    if (!is_time_column(plan.kind, field.name)) continue;\n    return project_error(\"AUTOCDC_R",
     "    if (plan.flow.empty()) continue;\n    continue;\n    return project_error(\"AUTOCDC_R"),
]]
