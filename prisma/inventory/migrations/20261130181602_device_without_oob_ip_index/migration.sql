CREATE INDEX CONCURRENTLY dcim_device_without_oob_ip_idx ON dcim_device (id) WHERE oob_ip_id IS NULL;
