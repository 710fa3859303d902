CREATE INDEX CONCURRENTLY virtualization_virtualdisk_search_idx ON virtualization_virtualdisk USING gin (name gin_trgm_ops, description gin_trgm_ops);
