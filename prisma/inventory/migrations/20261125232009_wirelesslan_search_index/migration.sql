CREATE INDEX CONCURRENTLY wireless_wirelesslan_search_idx ON wireless_wirelesslan USING gin (ssid gin_trgm_ops, description gin_trgm_ops);
