-- Resolved topics, few of all: for `is:resolved`.
CREATE INDEX CONCURRENTLY "topics_resolved_idx" ON "topics"("id") WHERE "topic" LIKE '✔ %';
