CREATE INDEX CONCURRENTLY dcim_consoleserverport__device_name_device_id_name_id_idx
    ON dcim_consoleserverport (_device_name, device_id, name, id);
