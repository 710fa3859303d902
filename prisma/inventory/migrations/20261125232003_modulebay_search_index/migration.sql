CREATE INDEX CONCURRENTLY dcim_modulebay_search_idx ON dcim_modulebay USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
