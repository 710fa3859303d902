-- Index of a foreign key: without it, removing one row that it refers to reads the whole table.
CREATE INDEX CONCURRENTLY "reactions_user_id_idx" ON "reactions"("user_id");
