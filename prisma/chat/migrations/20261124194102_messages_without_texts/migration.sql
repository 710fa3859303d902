-- Changes the catalogue alone. Writers insert and update texts themselves.
DROP TRIGGER "messages_add_text" ON "messages";
DROP TRIGGER "messages_change_text" ON "messages";
DROP FUNCTION "add_message_text"();
DROP FUNCTION "change_message_text"();
ALTER TABLE "messages" DROP COLUMN "content", DROP COLUMN "rendered_content", DROP COLUMN "rendered_version";
