CREATE INDEX CONCURRENTLY dcim_device_last_updated_id_idx ON dcim_device (last_updated, id);
