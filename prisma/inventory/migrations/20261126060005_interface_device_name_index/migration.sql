CREATE INDEX CONCURRENTLY dcim_interface__device_name_device_id__order_id_idx
    ON dcim_interface (_device_name, device_id, _order, id);
