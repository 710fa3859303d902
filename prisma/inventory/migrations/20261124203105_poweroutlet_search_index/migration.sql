CREATE INDEX CONCURRENTLY dcim_poweroutlet_search_idx ON dcim_poweroutlet USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
