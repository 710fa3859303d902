CREATE INDEX CONCURRENTLY dcim_rackreservation_search_idx ON dcim_rackreservation USING gin (description gin_trgm_ops);
