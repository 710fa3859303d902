-- Unlike the index that it replaces it is unique, though the id alone is so: an UPDATE that changes the name then waits for
-- transactions that lock the row FOR KEY SHARE, as those do that create a component of the device.
CREATE UNIQUE INDEX CONCURRENTLY dcim_device_name_id_key ON dcim_device (name, id);
