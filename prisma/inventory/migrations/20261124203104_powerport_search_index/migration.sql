CREATE INDEX CONCURRENTLY dcim_powerport_search_idx ON dcim_powerport USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
