CREATE INDEX CONCURRENTLY dcim_consoleport_search_idx ON dcim_consoleport USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
