CREATE INDEX CONCURRENTLY dcim_consoleserverport_search_idx ON dcim_consoleserverport USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
