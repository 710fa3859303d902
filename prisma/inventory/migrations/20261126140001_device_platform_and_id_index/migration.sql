CREATE INDEX CONCURRENTLY dcim_device_platform_id_id_idx ON dcim_device (platform_id, id);
