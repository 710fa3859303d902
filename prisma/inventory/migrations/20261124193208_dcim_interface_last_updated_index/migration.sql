CREATE INDEX CONCURRENTLY dcim_interface_last_updated_id_idx ON dcim_interface (last_updated, id);
