-- Serves the order by type. The index of the type alone stays for counts: equal values take few pages in it.
CREATE INDEX CONCURRENTLY dcim_device_device_type_id_id_idx ON dcim_device (device_type_id, id);
