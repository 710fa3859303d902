CREATE INDEX CONCURRENTLY ipam_aggregate_search_idx ON ipam_aggregate USING gin (description gin_trgm_ops, (prefix::text) gin_trgm_ops);
