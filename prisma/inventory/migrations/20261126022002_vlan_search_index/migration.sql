CREATE INDEX CONCURRENTLY ipam_vlan_search_idx ON ipam_vlan USING gin (name gin_trgm_ops, description gin_trgm_ops);
