DROP INDEX CONCURRENTLY IF EXISTS dcim_interface_vrf_id_idx;
