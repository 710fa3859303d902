DROP INDEX CONCURRENTLY IF EXISTS ipam_ipaddress_tenant_id_idx;
