CREATE INDEX CONCURRENTLY wireless_wirelesslink_search_idx ON wireless_wirelesslink USING gin (ssid gin_trgm_ops, description gin_trgm_ops);
