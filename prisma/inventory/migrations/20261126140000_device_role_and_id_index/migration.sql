CREATE INDEX CONCURRENTLY dcim_device_role_id_id_idx ON dcim_device (role_id, id);
