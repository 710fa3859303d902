CREATE INDEX CONCURRENTLY "message_texts_search_idx" ON "message_texts" USING GIN ("search");
