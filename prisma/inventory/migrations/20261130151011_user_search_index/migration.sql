CREATE INDEX CONCURRENTLY users_user_search_idx ON users_user USING gin (username gin_trgm_ops, first_name gin_trgm_ops, last_name gin_trgm_ops, email gin_trgm_ops);
