CREATE INDEX CONCURRENTLY "messages_topic_id_id_idx" ON "messages"("topic_id", "id");
