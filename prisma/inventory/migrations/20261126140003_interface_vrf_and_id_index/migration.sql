CREATE INDEX CONCURRENTLY dcim_interface_vrf_id_id_idx ON dcim_interface (vrf_id, id);
