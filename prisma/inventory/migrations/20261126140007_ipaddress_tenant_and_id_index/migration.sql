CREATE INDEX CONCURRENTLY ipam_ipaddress_tenant_id_id_idx ON ipam_ipaddress (tenant_id, id);
