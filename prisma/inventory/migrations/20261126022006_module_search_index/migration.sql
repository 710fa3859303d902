CREATE INDEX CONCURRENTLY dcim_module_search_idx ON dcim_module USING gin (serial gin_trgm_ops, asset_tag gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
