CREATE INDEX CONCURRENTLY dcim_frontport__device_name_device_id_name_id_idx
    ON dcim_frontport (_device_name, device_id, name, id);
