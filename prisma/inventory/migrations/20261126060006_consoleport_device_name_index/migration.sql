CREATE INDEX CONCURRENTLY dcim_consoleport__device_name_device_id_name_id_idx
    ON dcim_consoleport (_device_name, device_id, name, id);
