CREATE INDEX CONCURRENTLY circuits_circuit_search_idx ON circuits_circuit USING gin (cid gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
