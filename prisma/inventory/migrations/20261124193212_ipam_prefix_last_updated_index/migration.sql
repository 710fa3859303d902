CREATE INDEX CONCURRENTLY ipam_prefix_last_updated_id_idx ON ipam_prefix (last_updated, id);
