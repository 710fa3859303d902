CREATE INDEX CONCURRENTLY dcim_device_without_primary_ip6_idx ON dcim_device (id) WHERE primary_ip6_id IS NULL;
