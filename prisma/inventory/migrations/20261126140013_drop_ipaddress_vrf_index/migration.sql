DROP INDEX CONCURRENTLY IF EXISTS ipam_ipaddress_vrf_id_idx;
