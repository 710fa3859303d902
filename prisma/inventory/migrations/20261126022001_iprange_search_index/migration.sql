CREATE INDEX CONCURRENTLY ipam_iprange_search_idx ON ipam_iprange USING gin (description gin_trgm_ops, (start_address::text) gin_trgm_ops, (end_address::text) gin_trgm_ops);
