#include "cdc/scd2.h"

#include "cdc/test_story.h"

namespace lakebed::cdc {
namespace {

std::string scd2(const std::string& feed) { return Story(feed).scd2(); }

TEST(Scd2, B1_EachTrackedChangeOpensAVersion) {
  EXPECT_EQ(scd2("+1:a +2:b +3:c"), "[1,2)a [2,3)b [3,)c");
  EXPECT_EQ(scd2("+1:a | +2:b | +3:c"), "[1,2)a [2,3)b [3,)c");
  EXPECT_EQ(scd2("+3:c | +2:b | +1:a"), "[1,2)a [2,3)b [3,)c");
}

TEST(Scd2, B1_StretchIsOneRowWithTheLastValues) {
  EXPECT_EQ(scd2("+1:a1 +2:a2 +3:a3 +4:b"), "[1,4)a3 [4,)b");
  EXPECT_EQ(scd2("+1:a1 | +3:a3 | +2:a2"), "[1,)a3");
  EXPECT_EQ(scd2("+3:a3 | +1:a1"), "[1,)a3");
}

TEST(Scd2, B1_DeleteOnlyEnds) {
  EXPECT_EQ(scd2("+1:a -3"), "[1,3)a");
  EXPECT_EQ(scd2("-3 | +1:a"), "[1,3)a");
  EXPECT_EQ(scd2("-3"), "");
}

TEST(Scd2, B2_LateEventSplitsAStretch) {
  EXPECT_EQ(scd2("+1:a1 +2:a2 +5:a5 | +3:b"), "[1,3)a2 [3,5)b [5,)a5");
  EXPECT_EQ(scd2("+1:a +5:a | -3"), "[1,3)a [5,)a");
  EXPECT_EQ(scd2("+1:a1 +5:a5 +7:a7 +9:b | -3 | +4:a4"), "[1,3)a1 [4,9)a7 [9,)b");
}

TEST(Scd2, B2_LateEventEndsAtAnOldDelete) {
  EXPECT_EQ(scd2("+1:a -3 -6 +9:b | +4:c"), "[1,3)a [4,6)c [9,)b");
  EXPECT_EQ(scd2("-3 -6 | +7:a | +1:b"), "[1,3)b [7,)a");
}

TEST(Scd2, B2_LateEqualEventMovesTheStart) {
  Story story("+1:x +5:a1 +6:a2 +9:b");
  story.tell("+3:a0");
  EXPECT_EQ(story.scd2(), "[1,3)x [3,9)a2 [9,)b");
  EXPECT_EQ(story.touched(), "-2 +2");
}

TEST(Scd2, B3_ReinsertAfterDeleteOpensANewRow) {
  EXPECT_EQ(scd2("+1:a -2 +3:a"), "[1,2)a [3,)a");
  EXPECT_EQ(scd2("+1:a | +3:a | -2"), "[1,2)a [3,)a");
}

TEST(Scd2, B5_UntrackedChangesRewriteTheOpenRow) {
  Story story("+1:a1");
  story.tell("+2:a2");
  EXPECT_EQ(story.scd2(), "[1,)a2");
  EXPECT_EQ(story.touched(), "-1 +1");
  EXPECT_EQ(story.type2().metrics().upserted_rows, 1U);
  story.tell("+3:a2");
  EXPECT_EQ(story.touched(), "-0 +0");
}

TEST(Scd2, E4_LaterArrivalReplacesTheEventAtItsSequence) {
  EXPECT_EQ(scd2("+1:a +1:b"), "[1,)b");
  EXPECT_EQ(scd2("+1:a | +1:b"), "[1,)b");
  EXPECT_EQ(scd2("+1:a +3:b | -3"), "[1,3)a");
  EXPECT_EQ(scd2("+1:a -3 | +3:b"), "[1,3)a [3,)b");
  EXPECT_EQ(scd2("+1:a -3 +5:a | +3:a2"), "[1,)a");
  EXPECT_EQ(scd2("+1:a1 +3:b +5:a5 | +3:a3"), "[1,)a5");
  EXPECT_EQ(scd2("+1:a1 +3:a3 +5:a5 | +1:b"), "[1,3)b [3,)a5");
}

TEST(Scd2, E4_TiesAreCountedRepeatsAreNot) {
  Story story("+1:a +1:b +1:b -1 -1 B+1:a");
  EXPECT_EQ(story.type2().metrics().tied_events, 2U);
  EXPECT_EQ(story.type2().metrics().first_tied, 1U);
  story.tell("-1 +1:c");
  EXPECT_EQ(story.type2().metrics().tied_events, 1U);
}

TEST(Scd2, E5_RepeatChangesNothingAtAll) {
  for (const char* feed : {"+1:a", "-1", "+1:a1 +2:a2 -3 -4 +5:b", "+1:a -2 +3:a"}) {
    Story story(feed);
    story.tell(feed);
    EXPECT_TRUE(story.type2().changes().empty()) << feed;
    EXPECT_EQ(story.type2().metrics().tied_events, 0U) << feed;
  }
}

TEST(Scd2, E3_SequencesWithTailsAreOrderedByTheirBytes) {
  Event events[2];
  events[0].sequence = {7, "b"};
  events[0].value_hash = events[0].tracked_hash = 1;
  events[1].sequence = {7, "a"};
  events[1].value_hash = events[1].tracked_hash = 2;
  reference::MemoryTargetScd2 target;
  target.apply(std::vector<reference::Delivery>{{events[0], false}, {events[1], false}});
  const auto rows = target.rows();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].value_hash, 2U);
  EXPECT_EQ(rows[0].end->tail, "b");
}

TEST(Scd2, F7_ClosedVersionIsOneUpsertedRow) {
  Story story("+1:a");
  story.tell("-2");
  EXPECT_EQ(story.type2().metrics().upserted_rows, 1U);
  EXPECT_EQ(story.type2().metrics().deleted_rows, 0U);
  story.tell("+1:b");  // the version changes its values
  EXPECT_EQ(story.type2().metrics().upserted_rows, 1U);
  EXPECT_EQ(story.type2().metrics().late_events, 1U);
  story.tell("-1");  // the version is gone
  EXPECT_EQ(story.type2().metrics().upserted_rows, 0U);
  EXPECT_EQ(story.type2().metrics().deleted_rows, 1U);
}

TEST(Scd2, SeveralEventsOfABatchGiveTheNetChangeOnly) {
  Story story("+1:a");
  story.tell("+2:b +3:c -4 +5:d");
  EXPECT_EQ(story.scd2(), "[1,2)a [2,3)b [3,4)c [5,)d");
  EXPECT_EQ(story.touched(), "-1 +4");
  Story again("+1:a +9:b");
  again.tell("+5:a +6:a");  // absorbed twice
  EXPECT_EQ(again.touched(), "-0 +0");
}

TEST(Scd2, HiddenEventsLeaveTheTableAlone) {
  Story story("+1:a -3 +9:b");
  story.tell("-5 -6 +2:a");
  EXPECT_EQ(story.touched(), "-0 +0");
  EXPECT_EQ(story.type2().changes().puts.size(), 3U);
}

TEST(Scd2, ClosedRowsKeepNoPayload) {
  Story story("+1:a");
  EXPECT_EQ(story.type2().heap_size(), 1U);
  story.tell("+2:b");
  EXPECT_EQ(story.type2().heap_size(), 1U);
  story.tell("-3");
  EXPECT_EQ(story.type2().heap_size(), 0U);
  EXPECT_EQ(story.type2().old_rows_read(), 0U);
  story.tell("+1:a1");  // a tie; the old values are not needed
  EXPECT_EQ(story.type2().old_rows_read(), 0U);
}

TEST(Scd2, ClosedRowIsReadWhenALateEventNeedsItsValues) {
  Story story("+2:a2 | -5");
  story.tell("+1:a1");
  EXPECT_EQ(story.scd2(), "[1,5)a2");
  EXPECT_GT(story.type2().old_rows_read(), 0U);
}

TEST(Scd2, EqualAbsorbedEventsShareAPayload) {
  Story story("+1:a +2:a +3:a");
  story.tell("+4:a | +5:a");
  EXPECT_EQ(story.type2().heap_size(), 1U);
}

// The law of the cursor: however deep the history, however long a stretch or a row of deletes,
// an event costs the same small number of seeks.
TEST(Scd2, SeeksPerEventDoNotGrowWithTheHistory) {
  for (const char* pattern : {"rows", "stretch", "deletes"}) {
    for (uint64_t depth : {10U, 1000U, 20000U}) {
      reference::MemoryTargetScd2 target;
      std::vector<reference::Delivery> history;
      for (uint64_t at = 1; at <= depth; ++at) {
        Event event;
        event.sequence.head = at * 10;
        event.value_hash = event.tracked_hash = pattern[0] == 'r' ? at : 1;
        if (pattern[0] == 'd' && at > 1) event.operation = Operation::kDelete;
        history.push_back({event, false});
      }
      target.apply(history);
      for (uint64_t place : {uint64_t{5}, depth * 5 + 5, depth * 10 + 5}) {
        for (Operation operation : {Operation::kUpsert, Operation::kDelete}) {
          Event event;
          event.sequence.head = place;
          event.value_hash = event.tracked_hash = 1;
          event.operation = operation;
          const Scd2Counters before = target.counters();
          target.apply(std::vector<reference::Delivery>{{event, false}});
          EXPECT_LE(target.counters().seeks - before.seeks, 9U) << pattern << depth;
          EXPECT_LE(target.counters().entries_read - before.entries_read, 9U);
          EXPECT_LE(target.changes().added.size(), 3U);
          EXPECT_EQ(target.take_faults(), "");
        }
      }
    }
  }
}

TEST(Scd2, NewKeysAndNewestEventsCostTwoSeeks) {
  Story story("+1:a");
  EXPECT_EQ(story.type2().counters().seeks, 1U);
  story.tell("+2:b +3:c -4");
  EXPECT_EQ(story.type2().counters().seeks, 3U);
}

}  // namespace
}  // namespace lakebed::cdc
