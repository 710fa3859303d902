CREATE INDEX CONCURRENTLY extras_imageattachment_search_idx ON extras_imageattachment USING gin (name gin_trgm_ops, image gin_trgm_ops, description gin_trgm_ops);
