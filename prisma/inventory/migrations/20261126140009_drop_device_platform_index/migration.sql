DROP INDEX CONCURRENTLY IF EXISTS dcim_device_platform_id_idx;
