DROP INDEX CONCURRENTLY IF EXISTS core_objectchange_time_id_idx;
