CREATE INDEX CONCURRENTLY ipam_ipaddress_last_updated_id_idx ON ipam_ipaddress (last_updated, id);
