-- For topics of one name in all channels.
CREATE INDEX CONCURRENTLY "topics_topic_key_idx" ON "topics"("topic_key");
