CREATE INDEX CONCURRENTLY virtualization_cluster_search_idx ON virtualization_cluster USING gin (name gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
