DROP INDEX CONCURRENTLY IF EXISTS ipam_prefix_role_id_idx;
