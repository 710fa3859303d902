CREATE INDEX CONCURRENTLY tenancy_tenant_search_idx ON tenancy_tenant USING gin (name gin_trgm_ops, slug gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
