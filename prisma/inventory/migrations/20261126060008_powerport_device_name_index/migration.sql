CREATE INDEX CONCURRENTLY dcim_powerport__device_name_device_id_name_id_idx
    ON dcim_powerport (_device_name, device_id, name, id);
