CREATE INDEX CONCURRENTLY dcim_device_created_id_idx ON dcim_device (created, id);
