CREATE INDEX CONCURRENTLY ipam_routetarget_search_idx ON ipam_routetarget USING gin (name gin_trgm_ops, description gin_trgm_ops);
