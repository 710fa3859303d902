CREATE INDEX CONCURRENTLY ipam_ipaddress_created_id_idx ON ipam_ipaddress (created, id);
