CREATE INDEX CONCURRENTLY circuits_virtualcircuit_search_idx ON circuits_virtualcircuit USING gin (cid gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
