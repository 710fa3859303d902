-- Devices, modules and their components.

-- What interfaces are sorted by: slot, subslot, position and subposition, then the type in front of them, then number,
-- channel and subinterface, then what is left with its numbers made wide. What a name does not have comes last.
CREATE FUNCTION dcim_interface_order(name TEXT) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(
        (SELECT string_agg(coalesce(lpad(p, greatest(4, length(p)), '0'), '9999'), '' ORDER BY n) FROM unnest(parts[2:5]) WITH ORDINALITY AS places(p, n))
        || coalesce(parts[1], '')
        || (SELECT string_agg(coalesce(lpad(p, greatest(6, length(p)), '0'), '......'), '' ORDER BY n) FROM unnest(parts[6:8]) WITH ORDINALITY AS numbers(p, n))
        || coalesce((SELECT string_agg(CASE WHEN p[1] ~ '^\d' THEN lpad(p[1], greatest(8, length(p[1])), '0') ELSE p[1] END, '' ORDER BY n)
            FROM regexp_matches(parts[9], '\d+|\D+', 'g') WITH ORDINALITY AS rest(p, n)), ''),
    100) COLLATE "C"
    FROM regexp_match(name, '^([^\d.:]+)?(?:(\d+)/)?(?:(\d+)/)?(?:(\d+)/)?(?:(\d+)/)?(\d+)?(?::(\d+))?(?:\.(\d+))?(.*)$') AS parts
$$;

CREATE TABLE dcim_virtualchassis (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    domain VARCHAR(30) NOT NULL DEFAULT '',
    master_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_virtualchassis_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_virtualchassis_master_id_key ON dcim_virtualchassis (master_id);
CREATE INDEX dcim_virtualchassis_name_idx ON dcim_virtualchassis (name);
CREATE INDEX dcim_virtualchassis_owner_id_idx ON dcim_virtualchassis (owner_id);
SELECT keep_row_count('dcim_virtualchassis', 'dcim.virtualchassis');

CREATE TABLE dcim_device (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(64) COLLATE natural_sort,
    device_type_id BIGINT NOT NULL,
    role_id BIGINT NOT NULL,
    tenant_id BIGINT,
    platform_id BIGINT,
    serial VARCHAR(50) NOT NULL DEFAULT '',
    asset_tag VARCHAR(50),
    site_id BIGINT NOT NULL,
    location_id BIGINT,
    rack_id BIGINT,
    position DECIMAL(4, 1),
    face VARCHAR(50),
    latitude DECIMAL(8, 6),
    longitude DECIMAL(9, 6),
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    airflow VARCHAR(50),
    primary_ip4_id BIGINT,
    primary_ip6_id BIGINT,
    oob_ip_id BIGINT,
    cluster_id BIGINT,
    virtual_chassis_id BIGINT,
    vc_position INTEGER,
    vc_priority SMALLINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    config_template_id BIGINT,
    local_context_data JSONB,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_device_vc_position_check CHECK (vc_position BETWEEN 0 AND 255),
    CONSTRAINT dcim_device_vc_priority_check CHECK (vc_priority BETWEEN 0 AND 255),
    CONSTRAINT dcim_device_position_check CHECK (position >= 0.5 AND mod(position, 0.5) = 0),
    CONSTRAINT dcim_device_latitude_check CHECK (latitude BETWEEN -90 AND 90),
    CONSTRAINT dcim_device_longitude_check CHECK (longitude BETWEEN -180 AND 180),
    CONSTRAINT dcim_device_device_type_id_fkey FOREIGN KEY (device_type_id) REFERENCES dcim_devicetype (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_device_role_id_fkey FOREIGN KEY (role_id) REFERENCES dcim_devicerole (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_device_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_device_platform_id_fkey FOREIGN KEY (platform_id) REFERENCES dcim_platform (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_device_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_device_location_id_fkey FOREIGN KEY (location_id) REFERENCES dcim_location (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_device_rack_id_fkey FOREIGN KEY (rack_id) REFERENCES dcim_rack (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_device_primary_ip4_id_fkey FOREIGN KEY (primary_ip4_id) REFERENCES ipam_ipaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_device_primary_ip6_id_fkey FOREIGN KEY (primary_ip6_id) REFERENCES ipam_ipaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_device_oob_ip_id_fkey FOREIGN KEY (oob_ip_id) REFERENCES ipam_ipaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_device_virtual_chassis_id_fkey FOREIGN KEY (virtual_chassis_id) REFERENCES dcim_virtualchassis (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_device_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_device_config_template_id_fkey FOREIGN KEY (config_template_id) REFERENCES extras_configtemplate (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_device_asset_tag_key ON dcim_device (asset_tag);
CREATE UNIQUE INDEX dcim_device_primary_ip4_id_key ON dcim_device (primary_ip4_id);
CREATE UNIQUE INDEX dcim_device_primary_ip6_id_key ON dcim_device (primary_ip6_id);
CREATE UNIQUE INDEX dcim_device_oob_ip_id_key ON dcim_device (oob_ip_id);
CREATE UNIQUE INDEX dcim_device_unique_name_site_tenant ON dcim_device (lower(name), site_id, tenant_id);
CREATE UNIQUE INDEX dcim_device_rack_id_position_face_key ON dcim_device (rack_id, position, face);
CREATE UNIQUE INDEX dcim_device_virtual_chassis_id_vc_position_key ON dcim_device (virtual_chassis_id, vc_position);
CREATE UNIQUE INDEX dcim_device_unique_name_site ON dcim_device (lower(name), site_id) WHERE tenant_id IS NULL;
CREATE INDEX dcim_device_name_id_idx ON dcim_device (name, id);
CREATE INDEX dcim_device_device_type_id_idx ON dcim_device (device_type_id);
CREATE INDEX dcim_device_role_id_idx ON dcim_device (role_id);
CREATE INDEX dcim_device_tenant_id_idx ON dcim_device (tenant_id);
CREATE INDEX dcim_device_platform_id_idx ON dcim_device (platform_id);
CREATE INDEX dcim_device_site_id_idx ON dcim_device (site_id);
CREATE INDEX dcim_device_location_id_idx ON dcim_device (location_id);
CREATE INDEX dcim_device_cluster_id_idx ON dcim_device (cluster_id);
CREATE INDEX dcim_device_owner_id_idx ON dcim_device (owner_id);
CREATE INDEX dcim_device_config_template_id_idx ON dcim_device (config_template_id);
CREATE INDEX dcim_device_serial_idx ON dcim_device (lower(serial));
SELECT keep_row_count('dcim_device', 'dcim.device');

CREATE TABLE dcim_virtualdevicecontext (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    device_id BIGINT,
    identifier SMALLINT,
    tenant_id BIGINT,
    primary_ip4_id BIGINT,
    primary_ip6_id BIGINT,
    status VARCHAR(50) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_virtualdevicecontext_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_virtualdevicecontext_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_virtualdevicecontext_primary_ip4_id_fkey FOREIGN KEY (primary_ip4_id) REFERENCES ipam_ipaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_virtualdevicecontext_primary_ip6_id_fkey FOREIGN KEY (primary_ip6_id) REFERENCES ipam_ipaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_virtualdevicecontext_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_virtualdevicecontext_primary_ip4_id_key ON dcim_virtualdevicecontext (primary_ip4_id);
CREATE UNIQUE INDEX dcim_virtualdevicecontext_primary_ip6_id_key ON dcim_virtualdevicecontext (primary_ip6_id);
CREATE UNIQUE INDEX dcim_virtualdevicecontext_device_id_identifier_key ON dcim_virtualdevicecontext (device_id, identifier);
CREATE UNIQUE INDEX dcim_virtualdevicecontext_device_id_name_key ON dcim_virtualdevicecontext (device_id, name);
CREATE INDEX dcim_virtualdevicecontext_name_idx ON dcim_virtualdevicecontext (name);
CREATE INDEX dcim_virtualdevicecontext_tenant_id_idx ON dcim_virtualdevicecontext (tenant_id);
CREATE INDEX dcim_virtualdevicecontext_owner_id_idx ON dcim_virtualdevicecontext (owner_id);
SELECT keep_row_count('dcim_virtualdevicecontext', 'dcim.virtualdevicecontext');

CREATE TABLE dcim_modulebay (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    position VARCHAR(30) NOT NULL DEFAULT '',
    enabled BOOLEAN NOT NULL DEFAULT true,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_modulebay_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_modulebay_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_modulebay_device_id_module_id_name_key ON dcim_modulebay (device_id, module_id, name);
CREATE INDEX dcim_modulebay_device_id_name_id_idx ON dcim_modulebay (device_id, name, id);
CREATE INDEX dcim_modulebay_module_id_idx ON dcim_modulebay (module_id);
CREATE INDEX dcim_modulebay_owner_id_idx ON dcim_modulebay (owner_id);
SELECT keep_row_count('dcim_modulebay', 'dcim.modulebay');

CREATE TABLE dcim_module (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_bay_id BIGINT NOT NULL,
    module_type_id BIGINT NOT NULL,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    serial VARCHAR(50) NOT NULL DEFAULT '',
    asset_tag VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_module_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_module_module_bay_id_fkey FOREIGN KEY (module_bay_id) REFERENCES dcim_modulebay (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_module_module_type_id_fkey FOREIGN KEY (module_type_id) REFERENCES dcim_moduletype (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_module_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_module_module_bay_id_key ON dcim_module (module_bay_id);
CREATE UNIQUE INDEX dcim_module_asset_tag_key ON dcim_module (asset_tag);
CREATE INDEX dcim_module_device_id_idx ON dcim_module (device_id);
CREATE INDEX dcim_module_module_type_id_idx ON dcim_module (module_type_id);
CREATE INDEX dcim_module_owner_id_idx ON dcim_module (owner_id);
CREATE INDEX dcim_module_serial_idx ON dcim_module (lower(serial));
SELECT keep_row_count('dcim_module', 'dcim.module');

CREATE TABLE dcim_consoleport (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50),
    speed INTEGER,
    description VARCHAR(200) NOT NULL DEFAULT '',
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_consoleport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_consoleport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_consoleport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_consoleport_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_consoleport_device_id_name_key ON dcim_consoleport (device_id, name);
CREATE INDEX dcim_consoleport_module_id_idx ON dcim_consoleport (module_id);
CREATE INDEX dcim_consoleport_cable_id_idx ON dcim_consoleport (cable_id);
CREATE INDEX dcim_consoleport_owner_id_idx ON dcim_consoleport (owner_id);
SELECT keep_row_count('dcim_consoleport', 'dcim.consoleport');

CREATE TABLE dcim_consoleserverport (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50),
    speed INTEGER,
    description VARCHAR(200) NOT NULL DEFAULT '',
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_consoleserverport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_consoleserverport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_consoleserverport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_consoleserverport_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_consoleserverport_device_id_name_key ON dcim_consoleserverport (device_id, name);
CREATE INDEX dcim_consoleserverport_module_id_idx ON dcim_consoleserverport (module_id);
CREATE INDEX dcim_consoleserverport_cable_id_idx ON dcim_consoleserverport (cable_id);
CREATE INDEX dcim_consoleserverport_owner_id_idx ON dcim_consoleserverport (owner_id);
SELECT keep_row_count('dcim_consoleserverport', 'dcim.consoleserverport');

CREATE TABLE dcim_powerport (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50),
    maximum_draw INTEGER,
    allocated_draw INTEGER,
    description VARCHAR(200) NOT NULL DEFAULT '',
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_powerport_maximum_draw_check CHECK (maximum_draw >= 1),
    CONSTRAINT dcim_powerport_allocated_draw_check CHECK (allocated_draw >= 1),
    CONSTRAINT dcim_powerport_draw_check CHECK (allocated_draw <= maximum_draw),
    CONSTRAINT dcim_powerport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_powerport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_powerport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_powerport_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_powerport_device_id_name_key ON dcim_powerport (device_id, name);
CREATE INDEX dcim_powerport_module_id_idx ON dcim_powerport (module_id);
CREATE INDEX dcim_powerport_cable_id_idx ON dcim_powerport (cable_id);
CREATE INDEX dcim_powerport_owner_id_idx ON dcim_powerport (owner_id);
SELECT keep_row_count('dcim_powerport', 'dcim.powerport');

CREATE TABLE dcim_poweroutlet (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50),
    status VARCHAR(50) NOT NULL DEFAULT 'enabled',
    color VARCHAR(6) NOT NULL DEFAULT '',
    power_port_id BIGINT,
    feed_leg VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_poweroutlet_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_poweroutlet_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_poweroutlet_power_port_id_fkey FOREIGN KEY (power_port_id) REFERENCES dcim_powerport (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_poweroutlet_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_poweroutlet_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_poweroutlet_device_id_name_key ON dcim_poweroutlet (device_id, name);
CREATE INDEX dcim_poweroutlet_module_id_idx ON dcim_poweroutlet (module_id);
CREATE INDEX dcim_poweroutlet_power_port_id_idx ON dcim_poweroutlet (power_port_id);
CREATE INDEX dcim_poweroutlet_cable_id_idx ON dcim_poweroutlet (cable_id);
CREATE INDEX dcim_poweroutlet_owner_id_idx ON dcim_poweroutlet (owner_id);
SELECT keep_row_count('dcim_poweroutlet', 'dcim.poweroutlet');

CREATE TABLE dcim_interface (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50) NOT NULL,
    enabled BOOLEAN NOT NULL DEFAULT true,
    parent_id BIGINT,
    bridge_id BIGINT,
    lag_id BIGINT,
    mtu INTEGER,
    primary_mac_address_id BIGINT,
    speed BIGINT,
    duplex VARCHAR(50),
    wwn MACADDR8,
    mgmt_only BOOLEAN NOT NULL DEFAULT false,
    description VARCHAR(200) NOT NULL DEFAULT '',
    mode VARCHAR(50),
    rf_role VARCHAR(30),
    rf_channel VARCHAR(50),
    poe_mode VARCHAR(50),
    poe_type VARCHAR(50),
    rf_channel_frequency DECIMAL(8, 3),
    rf_channel_width DECIMAL(7, 3),
    tx_power SMALLINT,
    untagged_vlan_id BIGINT,
    qinq_svlan_id BIGINT,
    vlan_translation_policy_id BIGINT,
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    wireless_link_id BIGINT,
    vrf_id BIGINT,
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_interface_mtu_check CHECK (mtu BETWEEN 1 AND 65536),
    CONSTRAINT dcim_interface_tx_power_check CHECK (tx_power BETWEEN -40 AND 127),
    CONSTRAINT dcim_interface_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_interface (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_bridge_id_fkey FOREIGN KEY (bridge_id) REFERENCES dcim_interface (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_lag_id_fkey FOREIGN KEY (lag_id) REFERENCES dcim_interface (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_primary_mac_address_id_fkey FOREIGN KEY (primary_mac_address_id) REFERENCES dcim_macaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_untagged_vlan_id_fkey FOREIGN KEY (untagged_vlan_id) REFERENCES ipam_vlan (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_qinq_svlan_id_fkey FOREIGN KEY (qinq_svlan_id) REFERENCES ipam_vlan (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_vlan_translation_policy_id_fkey FOREIGN KEY (vlan_translation_policy_id) REFERENCES ipam_vlantranslationpolicy (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_interface_primary_mac_address_id_key ON dcim_interface (primary_mac_address_id);
CREATE UNIQUE INDEX dcim_interface_device_id_name_key ON dcim_interface (device_id, name);
-- Interfaces are listed by the numbers in their names (contract 1.7).
CREATE INDEX dcim_interface_order_idx ON dcim_interface (device_id, dcim_interface_order(name), id);
CREATE INDEX dcim_interface_module_id_idx ON dcim_interface (module_id);
CREATE INDEX dcim_interface_parent_id_idx ON dcim_interface (parent_id);
CREATE INDEX dcim_interface_bridge_id_idx ON dcim_interface (bridge_id);
CREATE INDEX dcim_interface_lag_id_idx ON dcim_interface (lag_id);
CREATE INDEX dcim_interface_untagged_vlan_id_idx ON dcim_interface (untagged_vlan_id);
CREATE INDEX dcim_interface_qinq_svlan_id_idx ON dcim_interface (qinq_svlan_id);
CREATE INDEX dcim_interface_vlan_translation_policy_id_idx ON dcim_interface (vlan_translation_policy_id);
CREATE INDEX dcim_interface_cable_id_idx ON dcim_interface (cable_id);
CREATE INDEX dcim_interface_wireless_link_id_idx ON dcim_interface (wireless_link_id);
CREATE INDEX dcim_interface_vrf_id_idx ON dcim_interface (vrf_id);
CREATE INDEX dcim_interface_owner_id_idx ON dcim_interface (owner_id);
SELECT keep_row_count('dcim_interface', 'dcim.interface');

CREATE TABLE dcim_rearport (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '',
    positions SMALLINT NOT NULL DEFAULT 1,
    description VARCHAR(200) NOT NULL DEFAULT '',
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_rearport_positions_check CHECK (positions BETWEEN 1 AND 1024),
    CONSTRAINT dcim_rearport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_rearport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_rearport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_rearport_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_rearport_device_id_name_key ON dcim_rearport (device_id, name);
CREATE INDEX dcim_rearport_module_id_idx ON dcim_rearport (module_id);
CREATE INDEX dcim_rearport_cable_id_idx ON dcim_rearport (cable_id);
CREATE INDEX dcim_rearport_owner_id_idx ON dcim_rearport (owner_id);
SELECT keep_row_count('dcim_rearport', 'dcim.rearport');

CREATE TABLE dcim_frontport (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    module_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    type VARCHAR(50) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '',
    positions SMALLINT NOT NULL DEFAULT 1,
    description VARCHAR(200) NOT NULL DEFAULT '',
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_frontport_positions_check CHECK (positions BETWEEN 1 AND 1024),
    CONSTRAINT dcim_frontport_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_frontport_module_id_fkey FOREIGN KEY (module_id) REFERENCES dcim_module (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_frontport_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_frontport_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_frontport_device_id_name_key ON dcim_frontport (device_id, name);
CREATE INDEX dcim_frontport_module_id_idx ON dcim_frontport (module_id);
CREATE INDEX dcim_frontport_cable_id_idx ON dcim_frontport (cable_id);
CREATE INDEX dcim_frontport_owner_id_idx ON dcim_frontport (owner_id);
SELECT keep_row_count('dcim_frontport', 'dcim.frontport');

CREATE TABLE dcim_devicebay (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    enabled BOOLEAN NOT NULL DEFAULT true,
    description VARCHAR(200) NOT NULL DEFAULT '',
    installed_device_id BIGINT,
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_devicebay_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_devicebay_installed_device_id_fkey FOREIGN KEY (installed_device_id) REFERENCES dcim_device (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_devicebay_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_devicebay_installed_device_id_key ON dcim_devicebay (installed_device_id);
CREATE UNIQUE INDEX dcim_devicebay_device_id_name_key ON dcim_devicebay (device_id, name);
CREATE INDEX dcim_devicebay_owner_id_idx ON dcim_devicebay (owner_id);
SELECT keep_row_count('dcim_devicebay', 'dcim.devicebay');

CREATE TABLE dcim_inventoryitem (
    id BIGSERIAL PRIMARY KEY,
    device_id BIGINT NOT NULL,
    parent_id BIGINT,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    label VARCHAR(64) NOT NULL DEFAULT '',
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    role_id BIGINT,
    manufacturer_id BIGINT,
    part_id VARCHAR(50) NOT NULL DEFAULT '',
    serial VARCHAR(50) NOT NULL DEFAULT '',
    asset_tag VARCHAR(50),
    discovered BOOLEAN NOT NULL DEFAULT false,
    description VARCHAR(200) NOT NULL DEFAULT '',
    component_type VARCHAR(100),
    component_id BIGINT,
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT dcim_inventoryitem_component_check CHECK ((component_type IS NULL) = (component_id IS NULL)),
    CONSTRAINT dcim_inventoryitem_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_inventoryitem_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_inventoryitem (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_inventoryitem_role_id_fkey FOREIGN KEY (role_id) REFERENCES dcim_inventoryitemrole (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_inventoryitem_manufacturer_id_fkey FOREIGN KEY (manufacturer_id) REFERENCES dcim_manufacturer (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_inventoryitem_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_inventoryitem_asset_tag_key ON dcim_inventoryitem (asset_tag);
CREATE UNIQUE INDEX dcim_inventoryitem_device_id_parent_id_name_key ON dcim_inventoryitem (device_id, parent_id, name);
CREATE INDEX dcim_inventoryitem_component_type_component_id_idx ON dcim_inventoryitem (component_type, component_id);
CREATE INDEX dcim_inventoryitem_parent_id_idx ON dcim_inventoryitem (parent_id);
CREATE INDEX dcim_inventoryitem_role_id_idx ON dcim_inventoryitem (role_id);
CREATE INDEX dcim_inventoryitem_manufacturer_id_idx ON dcim_inventoryitem (manufacturer_id);
CREATE INDEX dcim_inventoryitem_owner_id_idx ON dcim_inventoryitem (owner_id);
CREATE INDEX dcim_inventoryitem__path_idx ON dcim_inventoryitem USING gin (_path);
CREATE INDEX dcim_inventoryitem__sort_id_idx ON dcim_inventoryitem (_sort, id);
CREATE INDEX dcim_inventoryitem_serial_idx ON dcim_inventoryitem (lower(serial));
SELECT keep_row_count('dcim_inventoryitem', 'dcim.inventoryitem'), keep_tree('dcim_inventoryitem');

-- Which interfaces answer for an FHRP group, and which of them first.
CREATE TABLE ipam_fhrpgroupassignment (
    id BIGSERIAL PRIMARY KEY,
    group_id BIGINT NOT NULL,
    interface_type VARCHAR(100) NOT NULL,
    interface_id BIGINT NOT NULL,
    priority SMALLINT NOT NULL,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_fhrpgroupassignment_priority_check CHECK (priority BETWEEN 0 AND 255),
    CONSTRAINT ipam_fhrpgroupassignment_group_id_fkey FOREIGN KEY (group_id) REFERENCES ipam_fhrpgroup (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX ipam_fhrpgroupassignment_interface_type_interface_id_group__key ON ipam_fhrpgroupassignment (interface_type, interface_id, group_id);
CREATE INDEX ipam_fhrpgroupassignment_priority_id_idx ON ipam_fhrpgroupassignment (priority DESC, id);
CREATE INDEX ipam_fhrpgroupassignment_group_id_idx ON ipam_fhrpgroupassignment (group_id);
SELECT keep_row_count('ipam_fhrpgroupassignment', 'ipam.fhrpgroupassignment');

CREATE TABLE dcim_interface_vdcs (
    interface_id BIGINT NOT NULL,
    virtualdevicecontext_id BIGINT NOT NULL,
    CONSTRAINT dcim_interface_vdcs_pkey PRIMARY KEY (interface_id, virtualdevicecontext_id),
    CONSTRAINT dcim_interface_vdcs_interface_id_fkey FOREIGN KEY (interface_id) REFERENCES dcim_interface (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_vdcs_virtualdevicecontext_id_fkey FOREIGN KEY (virtualdevicecontext_id) REFERENCES dcim_virtualdevicecontext (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX dcim_interface_vdcs_virtualdevicecontext_id_idx ON dcim_interface_vdcs (virtualdevicecontext_id);

CREATE TABLE dcim_interface_tagged_vlans (
    interface_id BIGINT NOT NULL,
    vlan_id BIGINT NOT NULL,
    CONSTRAINT dcim_interface_tagged_vlans_pkey PRIMARY KEY (interface_id, vlan_id),
    CONSTRAINT dcim_interface_tagged_vlans_interface_id_fkey FOREIGN KEY (interface_id) REFERENCES dcim_interface (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_interface_tagged_vlans_vlan_id_fkey FOREIGN KEY (vlan_id) REFERENCES ipam_vlan (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX dcim_interface_tagged_vlans_vlan_id_idx ON dcim_interface_tagged_vlans (vlan_id);

-- Which position of a front port leads to which position of a rear port.
CREATE TABLE dcim_portmapping (
    id BIGSERIAL PRIMARY KEY,
    front_port_id BIGINT NOT NULL,
    front_port_position SMALLINT NOT NULL DEFAULT 1,
    rear_port_id BIGINT NOT NULL,
    rear_port_position SMALLINT NOT NULL DEFAULT 1,
    CONSTRAINT dcim_portmapping_position_check CHECK (front_port_position BETWEEN 1 AND 1024 AND rear_port_position BETWEEN 1 AND 1024),
    CONSTRAINT dcim_portmapping_front_port_id_fkey FOREIGN KEY (front_port_id) REFERENCES dcim_frontport (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_portmapping_rear_port_id_fkey FOREIGN KEY (rear_port_id) REFERENCES dcim_rearport (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_portmapping_front_port_id_front_port_position_key ON dcim_portmapping (front_port_id, front_port_position);
CREATE UNIQUE INDEX dcim_portmapping_rear_port_id_rear_port_position_key ON dcim_portmapping (rear_port_id, rear_port_position);
