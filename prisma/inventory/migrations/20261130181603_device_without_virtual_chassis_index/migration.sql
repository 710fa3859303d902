CREATE INDEX CONCURRENTLY dcim_device_without_virtual_chassis_idx ON dcim_device (id) WHERE virtual_chassis_id IS NULL;
