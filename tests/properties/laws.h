// The laws of the kernels, as questions to one feed. Each answers with what is wrong, or "".
#pragma once

#include <string>

#include "feed.h"

namespace lakebed::properties {

// Law 7, after every batch: kernel and twin show the same rows; with them the promises about
// minimal change, memory, metrics and the number of entries looked at.
std::string scd1_equals_twin(const Feed& feed);
std::string scd2_equals_twin(const Feed& feed);
// Laws 1, 2 and 3 for both types: other orders, other cuts, repeats. Ties are left out where the
// law sets them aside.
std::string order_does_not_matter(const Feed& feed);
std::string cuts_do_not_matter(const Feed& feed);
std::string repeats_do_not_matter(const Feed& feed);
// Law 4: SCD type 1 is the open rows of SCD type 2.
std::string scd1_is_the_open_rows(const Feed& feed);
// Law 6: intervals of a key neither overlap nor are empty, and leave gaps only after deletes.
std::string intervals_are_sound(const Feed& feed);
// Law 8: what else is in the feed makes no difference to a key.
std::string keys_do_not_meet(const Feed& feed);
// Events that come in order never ask for the values of a row that was closed before.
std::string in_order_reads_no_old_row(const Feed& feed);

}  // namespace lakebed::properties
