CREATE INDEX CONCURRENTLY dcim_interface_created_id_idx ON dcim_interface (created, id);
