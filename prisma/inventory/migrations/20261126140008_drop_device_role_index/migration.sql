DROP INDEX CONCURRENTLY IF EXISTS dcim_device_role_id_idx;
