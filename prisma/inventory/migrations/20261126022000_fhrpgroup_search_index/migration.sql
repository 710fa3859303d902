CREATE INDEX CONCURRENTLY ipam_fhrpgroup_search_idx ON ipam_fhrpgroup USING gin (description gin_trgm_ops, (group_id::text) gin_trgm_ops, name gin_trgm_ops);
