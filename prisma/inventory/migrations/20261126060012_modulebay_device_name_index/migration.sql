CREATE INDEX CONCURRENTLY dcim_modulebay__device_name_device_id_name_id_idx
    ON dcim_modulebay (_device_name, device_id, name, id);
