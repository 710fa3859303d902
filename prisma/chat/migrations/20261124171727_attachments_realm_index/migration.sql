-- Index of a foreign key: without it, removing one row that it refers to reads the whole table.
CREATE INDEX CONCURRENTLY "attachments_realm_id_idx" ON "attachments"("realm_id");
