-- Contains the name of the topic as spelled in the message, so that the list of a channel's topics reads no messages.
CREATE INDEX CONCURRENTLY "messages_topic_id_id_topic_idx" ON "messages"("topic_id", "id") INCLUDE ("topic", "topic_since");
