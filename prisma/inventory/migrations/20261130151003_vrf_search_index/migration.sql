CREATE INDEX CONCURRENTLY ipam_vrf_search_idx ON ipam_vrf USING gin (name gin_trgm_ops, rd gin_trgm_ops, description gin_trgm_ops);
