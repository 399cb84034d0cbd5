#include "cdc/scd1.h"

#include "cdc/test_story.h"

namespace lakebed::cdc {
namespace {

std::string scd1(const std::string& feed) { return Story(feed).scd1(); }

Scd1Action action(const Event& event, const Entry* known) {
  Metrics metrics;
  return decide_scd1(std::span(&event, 1), known, TruncateFloor(), metrics).action;
}

Event upsert(uint64_t sequence, uint64_t value) {
  Event event;
  event.sequence.head = sequence;
  event.value_hash = value;
  return event;
}

Event removal(uint64_t sequence) {
  Event event = upsert(sequence, 0);
  event.operation = Operation::kDelete;
  return event;
}

TEST(Scd1, A1_GreatestEventIsTheRow) {
  EXPECT_EQ(scd1("+1:a +3:c +2:b"), "c");
  EXPECT_EQ(scd1("+1:a | +3:c | +2:b"), "c");
  EXPECT_EQ(scd1("+1:a B+1:b | -2 B+2:c"), "B=c");
}

TEST(Scd1, A1_DeleteLeavesATombstoneAlsoForUnknownKeys) {
  const Story story("-5");
  EXPECT_EQ(story.scd1(), "");
  EXPECT_EQ(story.type1().entries(), 1U);
  EXPECT_EQ(scd1("-5 | +4:a"), "");
}

TEST(Scd1, A2_LowerEventsChangeNothing) {
  Story story("+5:a");
  story.tell("+4:b -3");
  EXPECT_EQ(story.scd1(), "a");
  EXPECT_FALSE(story.type1().changed());
  EXPECT_EQ(story.type1().metrics().late_events, 2U);
}

TEST(Scd1, A2_UpsertAboveATombstoneRevives) {
  EXPECT_EQ(scd1("+1:a | -2 | +3:a"), "a");
  EXPECT_EQ(scd1("+1:a | -3 | +2:b"), "");
}

TEST(Scd1, E4_LaterArrivalWinsWhateverTheOperation) {
  EXPECT_EQ(scd1("+1:a +1:b"), "b");
  EXPECT_EQ(scd1("+1:a | +1:b"), "b");
  EXPECT_EQ(scd1("+1:a | -1"), "");
  EXPECT_EQ(scd1("-1 | +1:a"), "a");
  EXPECT_EQ(scd1("-1 +1:a"), "a");
  EXPECT_EQ(scd1("+1:a | +1:b | +1:a"), "a");
}

TEST(Scd1, E4_TiesAreCountedRepeatsAreNot) {
  Story story("+1:a +1:b +1:b -1 -1 B+1:a");
  EXPECT_EQ(story.type1().metrics().tied_events, 2U);
  EXPECT_EQ(story.type1().metrics().first_tied, 1U);
  story.tell("-1 +1:c");
  EXPECT_EQ(story.type1().metrics().tied_events, 1U);
}

TEST(Scd1, E5_RepeatChangesNothingAtAll) {
  for (const char* feed : {"+1:a", "-1", "+1:a +2:b", "+1:a -2"}) {
    Story story(feed);
    story.tell(feed);
    EXPECT_FALSE(story.type1().changed()) << feed;
    EXPECT_EQ(story.type1().metrics().tied_events, 0U) << feed;
  }
}

TEST(Scd1, E5_OnlyTheLastWinnerIsRemembered) {
  Story story("+1:a +1:b");
  story.tell("+1:a +1:b");  // a is a new arrival, then b again
  EXPECT_EQ(story.scd1(), "b");
  EXPECT_FALSE(story.type1().changed());
}

TEST(Scd1, EqualValuesAtAGreaterSequenceLeaveTheRowAlone) {
  Story story("+1:a");
  story.tell("+2:a");
  EXPECT_TRUE(story.type1().changed());
  EXPECT_EQ(story.type1().metrics().upserted_rows, 0U);
  story.tell("-1");  // the entry advanced, so this is too late
  EXPECT_EQ(story.scd1(), "a");
}

TEST(Scd1, ActionsSayExactlyWhatToDo) {
  Entry row;
  row.sequence.head = 5;
  row.value_hash = 7;
  row.place = {3, 4};
  Entry tombstone;
  tombstone.sequence.head = 5;
  tombstone.kind = EntryKind::kDelete;
  EXPECT_EQ(action(upsert(1, 7), nullptr), Scd1Action::kWriteRow);
  EXPECT_EQ(action(removal(1), nullptr), Scd1Action::kTombstone);
  EXPECT_EQ(action(upsert(6, 7), &row), Scd1Action::kRemember);
  EXPECT_EQ(action(upsert(6, 8), &row), Scd1Action::kWriteRow);
  EXPECT_EQ(action(upsert(5, 7), &row), Scd1Action::kNothing);
  EXPECT_EQ(action(upsert(5, 8), &row), Scd1Action::kWriteRow);
  EXPECT_EQ(action(removal(5), &row), Scd1Action::kRemoveRow);
  EXPECT_EQ(action(removal(4), &row), Scd1Action::kNothing);
  EXPECT_EQ(action(removal(5), &tombstone), Scd1Action::kNothing);
  EXPECT_EQ(action(removal(6), &tombstone), Scd1Action::kTombstone);
  EXPECT_EQ(action(upsert(5, 7), &tombstone), Scd1Action::kWriteRow);
}

TEST(Scd1, EntryKeepsThePlaceOfARowThatStays) {
  Entry row;
  row.sequence.head = 5;
  row.value_hash = 7;
  row.place = {3, 4};
  const Event event = upsert(6, 7);
  Metrics metrics;
  const auto decision = decide_scd1(std::span(&event, 1), &row, TruncateFloor(), metrics);
  const Entry entry = scd1_entry(decision, &row);
  EXPECT_EQ(entry.sequence.head, 6U);
  EXPECT_EQ(entry.place, row.place);
}

TEST(Scd1, T1_TruncateRemovesWhatLiesBelowWheneverItArrives) {
  EXPECT_EQ(scd1("+1:a B+5:b | t3"), "B=b");
  EXPECT_EQ(scd1("t3 | +1:a B+5:b"), "B=b");
  EXPECT_EQ(scd1("+1:a B+5:b t3"), "B=b");
  EXPECT_EQ(scd1("t3 | t2 | +1:a B+2:b C+3:c"), "C=c");
}

TEST(Scd1, T1_AtTheSameSequenceArrivalDecides) {
  EXPECT_EQ(scd1("+3:a t3"), "");
  EXPECT_EQ(scd1("t3 +3:a"), "a");
  EXPECT_EQ(scd1("+3:a | t3"), "");
  EXPECT_EQ(scd1("t3 | +3:a"), "a");
  EXPECT_EQ(scd1("t3 +3:a | t3"), "");
}

TEST(Scd1, T1_TombstonesBelowTheFloorAreForgotten) {
  Story story("-2 B+1:b C-9");
  story.tell("t3");
  EXPECT_EQ(story.type1().entries(), 1U);
  EXPECT_EQ(story.type1().metrics().deleted_rows, 1U);
  EXPECT_EQ(scd1("-2 | t3 | +1:a"), "");
}

TEST(Scd1, T1_RowWrittenAgainUnchangedIsNotTouched) {
  Story story("+1:a");
  story.tell("t3 +4:a");
  EXPECT_EQ(story.scd1(), "a");
  EXPECT_EQ(story.type1().metrics().upserted_rows, 0U);
  EXPECT_EQ(story.type1().metrics().deleted_rows, 0U);
}

TEST(Scd1, T1_EventsBelowTheRememberedTruncateAreLate) {
  Story story("t9");
  story.tell("+1:a +9:b");
  EXPECT_EQ(story.scd1(), "b");
  EXPECT_EQ(story.type1().metrics().late_events, 1U);
}

}  // namespace
}  // namespace lakebed::cdc
