CREATE INDEX CONCURRENTLY dcim_location_search_idx ON dcim_location USING gin (name gin_trgm_ops, slug gin_trgm_ops, facility gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
