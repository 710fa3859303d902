-- Index of a foreign key: without it, removing one row that it refers to reads the whole table.
CREATE INDEX CONCURRENTLY "messages_client_id_idx" ON "messages"("client_id");
