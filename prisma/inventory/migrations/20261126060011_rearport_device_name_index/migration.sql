CREATE INDEX CONCURRENTLY dcim_rearport__device_name_device_id_name_id_idx
    ON dcim_rearport (_device_name, device_id, name, id);
