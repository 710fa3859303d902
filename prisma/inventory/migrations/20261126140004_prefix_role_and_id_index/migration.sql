CREATE INDEX CONCURRENTLY ipam_prefix_role_id_id_idx ON ipam_prefix (role_id, id);
