CREATE INDEX CONCURRENTLY dcim_device_device_type_id_id_idx ON dcim_device (device_type_id, id);
