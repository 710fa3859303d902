CREATE INDEX CONCURRENTLY vpn_tunnel_search_idx ON vpn_tunnel USING gin (name gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
