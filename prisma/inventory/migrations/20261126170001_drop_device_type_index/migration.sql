DROP INDEX CONCURRENTLY IF EXISTS dcim_device_device_type_id_idx;
