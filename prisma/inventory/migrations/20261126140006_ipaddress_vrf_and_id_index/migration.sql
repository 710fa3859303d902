CREATE INDEX CONCURRENTLY ipam_ipaddress_vrf_id_id_idx ON ipam_ipaddress (vrf_id, id);
