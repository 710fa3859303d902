-- `q` finds a text anywhere in some columns. One index a table answers for each of its columns.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE INDEX dcim_device_search_idx ON dcim_device
    USING gin (name gin_trgm_ops, serial gin_trgm_ops, asset_tag gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops);
CREATE INDEX dcim_interface_search_idx ON dcim_interface
    USING gin (name gin_trgm_ops, label gin_trgm_ops, description gin_trgm_ops);
CREATE INDEX dcim_inventoryitem_search_idx ON dcim_inventoryitem
    USING gin (name gin_trgm_ops, part_id gin_trgm_ops, serial gin_trgm_ops, asset_tag gin_trgm_ops, description gin_trgm_ops);
CREATE INDEX dcim_cable_search_idx ON dcim_cable USING gin (label gin_trgm_ops, description gin_trgm_ops);
CREATE INDEX virtualization_virtualmachine_search_idx ON virtualization_virtualmachine
    USING gin (name gin_trgm_ops, description gin_trgm_ops, comments gin_trgm_ops, serial gin_trgm_ops);
CREATE INDEX virtualization_vminterface_search_idx ON virtualization_vminterface
    USING gin (name gin_trgm_ops, description gin_trgm_ops);

-- Networks are found by how they are written.
CREATE INDEX ipam_ipaddress_search_idx ON ipam_ipaddress
    USING gin (dns_name gin_trgm_ops, description gin_trgm_ops, (address::text) gin_trgm_ops);
CREATE INDEX ipam_prefix_search_idx ON ipam_prefix USING gin (description gin_trgm_ops, (prefix::text) gin_trgm_ops);
CREATE INDEX dcim_macaddress_search_idx ON dcim_macaddress
    USING gin ((mac_address::text) gin_trgm_ops, description gin_trgm_ops);
