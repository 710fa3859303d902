CREATE UNIQUE INDEX CONCURRENTLY "topics_recipient_id_topic_key_key" ON "topics"("recipient_id", "topic_key");
