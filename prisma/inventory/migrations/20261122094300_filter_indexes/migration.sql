-- Filters that people use on large tables: by status, and by the value of a custom field.

CREATE INDEX dcim_device_status_idx ON dcim_device (status);
CREATE INDEX dcim_rack_status_idx ON dcim_rack (status);
CREATE INDEX dcim_cable_status_idx ON dcim_cable (status);
CREATE INDEX ipam_prefix_status_idx ON ipam_prefix (status);
CREATE INDEX ipam_ipaddress_status_idx ON ipam_ipaddress (status);
CREATE INDEX ipam_iprange_status_idx ON ipam_iprange (status);
CREATE INDEX ipam_vlan_status_idx ON ipam_vlan (status);
CREATE INDEX circuits_circuit_status_idx ON circuits_circuit (status);
CREATE INDEX virtualization_virtualmachine_status_idx ON virtualization_virtualmachine (status);

-- Equality of values is containment of them, see `customFieldFilters`.
CREATE INDEX dcim_device_custom_field_data_idx ON dcim_device USING gin (custom_field_data jsonb_path_ops);
CREATE INDEX ipam_prefix_custom_field_data_idx ON ipam_prefix USING gin (custom_field_data jsonb_path_ops);
CREATE INDEX ipam_ipaddress_custom_field_data_idx ON ipam_ipaddress USING gin (custom_field_data jsonb_path_ops);
CREATE INDEX virtualization_virtualmachine_custom_field_data_idx ON virtualization_virtualmachine USING gin (custom_field_data jsonb_path_ops);
