CREATE INDEX CONCURRENTLY dcim_virtualdevicecontext_search_idx ON dcim_virtualdevicecontext USING gin (name gin_trgm_ops, description gin_trgm_ops);
