CREATE INDEX CONCURRENTLY dcim_rearport_search_idx ON dcim_rearport USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
