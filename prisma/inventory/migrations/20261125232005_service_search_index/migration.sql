CREATE INDEX CONCURRENTLY ipam_service_search_idx ON ipam_service USING gin (name gin_trgm_ops, description gin_trgm_ops);
