-- How many rows have a flag: the bits that narrows select by, each as an expression of its own. Without statistics the
-- planner takes any condition on bits for true of nearly every row, or of one in 200.
CREATE STATISTICS "user_messages_read_stats" ON ("flags" & 1) FROM "user_messages";
CREATE STATISTICS "user_messages_starred_stats" ON ("flags" & 2) FROM "user_messages";
CREATE STATISTICS "user_messages_alerted_stats" ON ("flags" & 64) FROM "user_messages";
CREATE STATISTICS "user_messages_named_stats" ON ("flags" & 264) FROM "user_messages";
CREATE STATISTICS "user_messages_mentioned_stats" ON ("flags" & 312) FROM "user_messages";
CREATE STATISTICS "user_messages_direct_stats" ON ("flags" & 512) FROM "user_messages";

-- Fills them. Keeps neither readers nor writers waiting; afterwards autovacuum does it with every ANALYZE.
ANALYZE "user_messages";
