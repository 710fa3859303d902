-- Wireless networks and links.

CREATE TABLE wireless_wirelesslangroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    parent_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT wireless_wirelesslangroup_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES wireless_wirelesslangroup (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT wireless_wirelesslangroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX wireless_wirelesslangroup_name_key ON wireless_wirelesslangroup (name);
CREATE UNIQUE INDEX wireless_wirelesslangroup_slug_key ON wireless_wirelesslangroup (slug);
CREATE UNIQUE INDEX wireless_wirelesslangroup_parent_id_name_key ON wireless_wirelesslangroup (parent_id, name);
CREATE INDEX wireless_wirelesslangroup_owner_id_idx ON wireless_wirelesslangroup (owner_id);
CREATE INDEX wireless_wirelesslangroup__path_idx ON wireless_wirelesslangroup USING gin (_path);
CREATE INDEX wireless_wirelesslangroup__sort_id_idx ON wireless_wirelesslangroup (_sort, id);
SELECT keep_row_count('wireless_wirelesslangroup', 'wireless.wirelesslangroup'), keep_tree('wireless_wirelesslangroup');

CREATE TABLE wireless_wirelesslan (
    id BIGSERIAL PRIMARY KEY,
    ssid VARCHAR(32) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    group_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    vlan_id BIGINT,
    scope_type VARCHAR(100),
    scope_id BIGINT,
    tenant_id BIGINT,
    auth_type VARCHAR(50),
    auth_cipher VARCHAR(50),
    auth_psk VARCHAR(64) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT wireless_wirelesslan_scope_check CHECK ((scope_type IS NULL) = (scope_id IS NULL)),
    CONSTRAINT wireless_wirelesslan_group_id_fkey FOREIGN KEY (group_id) REFERENCES wireless_wirelesslangroup (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT wireless_wirelesslan_vlan_id_fkey FOREIGN KEY (vlan_id) REFERENCES ipam_vlan (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT wireless_wirelesslan_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT wireless_wirelesslan_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX wireless_wirelesslan_ssid_id_idx ON wireless_wirelesslan (ssid, id);
CREATE INDEX wireless_wirelesslan_scope_type_scope_id_idx ON wireless_wirelesslan (scope_type, scope_id);
CREATE INDEX wireless_wirelesslan_group_id_idx ON wireless_wirelesslan (group_id);
CREATE INDEX wireless_wirelesslan_vlan_id_idx ON wireless_wirelesslan (vlan_id);
CREATE INDEX wireless_wirelesslan_tenant_id_idx ON wireless_wirelesslan (tenant_id);
CREATE INDEX wireless_wirelesslan_owner_id_idx ON wireless_wirelesslan (owner_id);
SELECT keep_row_count('wireless_wirelesslan', 'wireless.wirelesslan');

CREATE TABLE wireless_wirelesslink (
    id BIGSERIAL PRIMARY KEY,
    interface_a_id BIGINT NOT NULL,
    interface_b_id BIGINT NOT NULL,
    ssid VARCHAR(32) NOT NULL DEFAULT '',
    status VARCHAR(50) NOT NULL DEFAULT 'connected',
    tenant_id BIGINT,
    auth_type VARCHAR(50),
    auth_cipher VARCHAR(50),
    auth_psk VARCHAR(64) NOT NULL DEFAULT '',
    distance DECIMAL(8, 2),
    distance_unit VARCHAR(50),
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT wireless_wirelesslink_interface_a_id_fkey FOREIGN KEY (interface_a_id) REFERENCES dcim_interface (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT wireless_wirelesslink_interface_b_id_fkey FOREIGN KEY (interface_b_id) REFERENCES dcim_interface (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT wireless_wirelesslink_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT wireless_wirelesslink_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX wireless_wirelesslink_interface_a_id_interface_b_id_key ON wireless_wirelesslink (interface_a_id, interface_b_id);
CREATE INDEX wireless_wirelesslink_interface_b_id_idx ON wireless_wirelesslink (interface_b_id);
CREATE INDEX wireless_wirelesslink_tenant_id_idx ON wireless_wirelesslink (tenant_id);
CREATE INDEX wireless_wirelesslink_owner_id_idx ON wireless_wirelesslink (owner_id);
SELECT keep_row_count('wireless_wirelesslink', 'wireless.wirelesslink');
