CREATE INDEX CONCURRENTLY "message_texts_search_lower_idx" ON "message_texts" USING GIN ("search_lower"("content") gin_trgm_ops);
