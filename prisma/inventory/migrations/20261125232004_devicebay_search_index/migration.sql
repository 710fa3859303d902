CREATE INDEX CONCURRENTLY dcim_devicebay_search_idx ON dcim_devicebay USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
