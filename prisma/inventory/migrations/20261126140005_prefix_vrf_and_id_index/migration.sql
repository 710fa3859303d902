CREATE INDEX CONCURRENTLY ipam_prefix_vrf_id_id_idx ON ipam_prefix (vrf_id, id);
