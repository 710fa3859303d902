CREATE INDEX CONCURRENTLY ipam_asn_search_idx ON ipam_asn USING gin (description gin_trgm_ops);
