CREATE INDEX CONCURRENTLY ipam_prefix_created_id_idx ON ipam_prefix (created, id);
