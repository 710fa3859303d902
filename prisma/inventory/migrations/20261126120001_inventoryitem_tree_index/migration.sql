CREATE INDEX CONCURRENTLY IF NOT EXISTS dcim_inventoryitem_device_id__path_idx ON dcim_inventoryitem (device_id, _path);
