CREATE INDEX CONCURRENTLY dcim_powerfeed_search_idx ON dcim_powerfeed USING gin (name gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
