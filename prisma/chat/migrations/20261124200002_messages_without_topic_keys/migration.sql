-- Changes the catalogue alone. Writers set the topics of messages themselves.
DROP TRIGGER "messages_set_topic_id" ON "messages";
DROP TRIGGER "messages_change_topic_id" ON "messages";
DROP TRIGGER "messages_add_topics" ON "messages";
DROP FUNCTION "set_topic_id"();
DROP FUNCTION "add_topics"();
DROP INDEX "messages_recipient_id_topic_key_id_idx";
DROP INDEX "messages_resolved_idx";
ALTER TABLE "messages" DROP COLUMN "topic_key";
