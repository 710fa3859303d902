-- Changes the catalogue alone.
ANALYZE "message_texts", "topics";
DROP INDEX "messages_search_text_idx";
ALTER TABLE "messages" DROP COLUMN "search";
DROP FUNCTION "search_text"(TEXT, TEXT);
