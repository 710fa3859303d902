CREATE INDEX CONCURRENTLY core_datafile_search_idx ON core_datafile USING gin (path gin_trgm_ops);
