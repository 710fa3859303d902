-- Messages of resolved topics, few of all, newest first: for `is:resolved`.
CREATE INDEX CONCURRENTLY "messages_resolved_idx" ON "messages"("id") WHERE "topic" LIKE '✔ %';
