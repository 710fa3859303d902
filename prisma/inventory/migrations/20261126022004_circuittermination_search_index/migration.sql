CREATE INDEX CONCURRENTLY circuits_circuittermination_search_idx ON circuits_circuittermination USING gin (xconnect_id gin_trgm_ops, pp_info gin_trgm_ops, description gin_trgm_ops);
