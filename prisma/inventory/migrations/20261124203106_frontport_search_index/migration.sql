CREATE INDEX CONCURRENTLY dcim_frontport_search_idx ON dcim_frontport USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
