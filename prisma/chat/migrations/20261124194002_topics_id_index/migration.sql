-- Waits for all transactions that may have written a message of a topic without an id.
CREATE UNIQUE INDEX CONCURRENTLY "topics_id_key" ON "topics"("id");
