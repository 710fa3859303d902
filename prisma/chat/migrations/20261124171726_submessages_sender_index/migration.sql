-- Index of a foreign key: without it, removing one row that it refers to reads the whole table.
CREATE INDEX CONCURRENTLY "submessages_sender_id_idx" ON "submessages"("sender_id");
