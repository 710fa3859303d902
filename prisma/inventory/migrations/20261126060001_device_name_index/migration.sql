DROP INDEX CONCURRENTLY IF EXISTS dcim_device_name_id_idx;
