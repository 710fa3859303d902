CREATE INDEX CONCURRENTLY dcim_interface_device_id__order_id_idx ON dcim_interface (device_id, _order, id);
