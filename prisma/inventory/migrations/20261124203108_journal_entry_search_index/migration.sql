CREATE INDEX CONCURRENTLY extras_journalentry_search_idx ON extras_journalentry USING gin (comments gin_trgm_ops);
