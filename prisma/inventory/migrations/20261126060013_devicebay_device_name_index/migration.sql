CREATE INDEX CONCURRENTLY dcim_devicebay__device_name_device_id_name_id_idx
    ON dcim_devicebay (_device_name, device_id, name, id);
