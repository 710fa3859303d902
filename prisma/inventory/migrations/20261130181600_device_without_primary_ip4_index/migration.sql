-- A list in the order of a nullable reference ends with the rows without it, in the order of their ids. A page far into them
-- read the rows before it. These partial indexes are read in place of the rows.
CREATE INDEX CONCURRENTLY dcim_device_without_primary_ip4_idx ON dcim_device (id) WHERE primary_ip4_id IS NULL;
