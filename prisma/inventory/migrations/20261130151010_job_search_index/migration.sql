CREATE INDEX CONCURRENTLY core_job_search_idx ON core_job USING gin (name gin_trgm_ops);
