DROP INDEX CONCURRENTLY IF EXISTS "messages_topic_id_id_idx";
