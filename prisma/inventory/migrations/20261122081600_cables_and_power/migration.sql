-- Cables and their ends, MAC addresses, power panels and feeds.

CREATE TABLE dcim_cablebundle (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_cablebundle_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_cablebundle_name_key ON dcim_cablebundle (name);
CREATE INDEX dcim_cablebundle_owner_id_idx ON dcim_cablebundle (owner_id);
SELECT keep_row_count('dcim_cablebundle', 'dcim.cablebundle');

CREATE TABLE dcim_cable (
    id BIGSERIAL PRIMARY KEY,
    type VARCHAR(50),
    status VARCHAR(50) NOT NULL DEFAULT 'connected',
    profile VARCHAR(50),
    tenant_id BIGINT,
    bundle_id BIGINT,
    label VARCHAR(100) NOT NULL DEFAULT '',
    color VARCHAR(6) NOT NULL DEFAULT '',
    length DECIMAL(8, 2),
    length_unit VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_cable_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_cable_bundle_id_fkey FOREIGN KEY (bundle_id) REFERENCES dcim_cablebundle (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_cable_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX dcim_cable_tenant_id_idx ON dcim_cable (tenant_id);
CREATE INDEX dcim_cable_bundle_id_idx ON dcim_cable (bundle_id);
CREATE INDEX dcim_cable_owner_id_idx ON dcim_cable (owner_id);
SELECT keep_row_count('dcim_cable', 'dcim.cable');

-- A cable has any number of ends on each side; an object takes one cable.
CREATE TABLE dcim_cabletermination (
    id BIGSERIAL PRIMARY KEY,
    cable_id BIGINT NOT NULL,
    cable_end VARCHAR(1) NOT NULL,
    termination_type VARCHAR(100) NOT NULL,
    termination_id BIGINT NOT NULL,
    connector SMALLINT,
    positions INTEGER[],
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_cabletermination_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_cabletermination_termination_type_termination_id_key ON dcim_cabletermination (termination_type, termination_id);
CREATE UNIQUE INDEX dcim_cabletermination_cable_id_cable_end_connector_key ON dcim_cabletermination (cable_id, cable_end, connector);
SELECT keep_row_count('dcim_cabletermination', 'dcim.cabletermination');

CREATE TABLE dcim_macaddress (
    id BIGSERIAL PRIMARY KEY,
    mac_address MACADDR NOT NULL,
    assigned_object_type VARCHAR(100),
    assigned_object_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_macaddress_assigned_object_check CHECK ((assigned_object_type IS NULL) = (assigned_object_id IS NULL)),
    CONSTRAINT dcim_macaddress_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX dcim_macaddress_mac_address_id_idx ON dcim_macaddress (mac_address, id);
CREATE INDEX dcim_macaddress_assigned_object_type_assigned_object_id_idx ON dcim_macaddress (assigned_object_type, assigned_object_id);
CREATE INDEX dcim_macaddress_owner_id_idx ON dcim_macaddress (owner_id);
SELECT keep_row_count('dcim_macaddress', 'dcim.macaddress');

CREATE TABLE dcim_powerpanel (
    id BIGSERIAL PRIMARY KEY,
    site_id BIGINT NOT NULL,
    location_id BIGINT,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_powerpanel_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_powerpanel_location_id_fkey FOREIGN KEY (location_id) REFERENCES dcim_location (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_powerpanel_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_powerpanel_site_id_name_key ON dcim_powerpanel (site_id, name);
CREATE INDEX dcim_powerpanel_location_id_idx ON dcim_powerpanel (location_id);
CREATE INDEX dcim_powerpanel_owner_id_idx ON dcim_powerpanel (owner_id);
SELECT keep_row_count('dcim_powerpanel', 'dcim.powerpanel');

CREATE TABLE dcim_powerfeed (
    id BIGSERIAL PRIMARY KEY,
    power_panel_id BIGINT NOT NULL,
    rack_id BIGINT,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    type VARCHAR(50) NOT NULL DEFAULT 'primary',
    supply VARCHAR(50) NOT NULL DEFAULT 'ac',
    phase VARCHAR(50) NOT NULL DEFAULT 'single-phase',
    voltage SMALLINT NOT NULL DEFAULT 120,
    amperage SMALLINT NOT NULL DEFAULT 15,
    max_utilization SMALLINT NOT NULL DEFAULT 80,
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    description VARCHAR(200) NOT NULL DEFAULT '',
    tenant_id BIGINT,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_powerfeed_amperage_check CHECK (amperage >= 1),
    CONSTRAINT dcim_powerfeed_max_utilization_check CHECK (max_utilization BETWEEN 1 AND 100),
    CONSTRAINT dcim_powerfeed_voltage_check CHECK (supply <> 'ac' OR voltage >= 0),
    CONSTRAINT dcim_powerfeed_power_panel_id_fkey FOREIGN KEY (power_panel_id) REFERENCES dcim_powerpanel (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_powerfeed_rack_id_fkey FOREIGN KEY (rack_id) REFERENCES dcim_rack (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_powerfeed_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_powerfeed_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT dcim_powerfeed_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_powerfeed_power_panel_id_name_key ON dcim_powerfeed (power_panel_id, name);
CREATE INDEX dcim_powerfeed_rack_id_idx ON dcim_powerfeed (rack_id);
CREATE INDEX dcim_powerfeed_cable_id_idx ON dcim_powerfeed (cable_id);
CREATE INDEX dcim_powerfeed_tenant_id_idx ON dcim_powerfeed (tenant_id);
CREATE INDEX dcim_powerfeed_owner_id_idx ON dcim_powerfeed (owner_id);
SELECT keep_row_count('dcim_powerfeed', 'dcim.powerfeed');
