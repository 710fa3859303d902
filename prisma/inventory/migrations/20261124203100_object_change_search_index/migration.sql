CREATE INDEX CONCURRENTLY core_objectchange_search_idx ON core_objectchange
    USING gin (user_name gin_trgm_ops, object_repr gin_trgm_ops, message gin_trgm_ops);
