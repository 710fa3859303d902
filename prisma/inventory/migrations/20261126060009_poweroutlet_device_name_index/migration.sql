CREATE INDEX CONCURRENTLY dcim_poweroutlet__device_name_device_id_name_id_idx
    ON dcim_poweroutlet (_device_name, device_id, name, id);
