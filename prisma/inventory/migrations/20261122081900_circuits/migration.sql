-- Providers and circuits.

CREATE TABLE circuits_provider (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_provider_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_provider_name_key ON circuits_provider (name);
CREATE UNIQUE INDEX circuits_provider_slug_key ON circuits_provider (slug);
CREATE INDEX circuits_provider_owner_id_idx ON circuits_provider (owner_id);
SELECT keep_row_count('circuits_provider', 'circuits.provider');

CREATE TABLE circuits_provideraccount (
    id BIGSERIAL PRIMARY KEY,
    provider_id BIGINT NOT NULL,
    name VARCHAR(100) NOT NULL DEFAULT '',
    account VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_provideraccount_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES circuits_provider (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_provideraccount_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_provideraccount_provider_id_account_key ON circuits_provideraccount (provider_id, account);
CREATE UNIQUE INDEX circuits_provideraccount_unique_provider_name ON circuits_provideraccount (provider_id, name) WHERE name <> '';
CREATE INDEX circuits_provideraccount_owner_id_idx ON circuits_provideraccount (owner_id);
SELECT keep_row_count('circuits_provideraccount', 'circuits.provideraccount');

CREATE TABLE circuits_providernetwork (
    id BIGSERIAL PRIMARY KEY,
    provider_id BIGINT NOT NULL,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    service_id VARCHAR(100) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_providernetwork_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES circuits_provider (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_providernetwork_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_providernetwork_provider_id_name_key ON circuits_providernetwork (provider_id, name);
CREATE INDEX circuits_providernetwork_owner_id_idx ON circuits_providernetwork (owner_id);
SELECT keep_row_count('circuits_providernetwork', 'circuits.providernetwork');

CREATE TABLE circuits_circuittype (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_circuittype_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_circuittype_name_key ON circuits_circuittype (name);
CREATE UNIQUE INDEX circuits_circuittype_slug_key ON circuits_circuittype (slug);
CREATE INDEX circuits_circuittype_owner_id_idx ON circuits_circuittype (owner_id);
SELECT keep_row_count('circuits_circuittype', 'circuits.circuittype');

CREATE TABLE circuits_circuit (
    id BIGSERIAL PRIMARY KEY,
    cid VARCHAR(100) NOT NULL,
    provider_id BIGINT NOT NULL,
    provider_account_id BIGINT,
    type_id BIGINT NOT NULL,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    tenant_id BIGINT,
    install_date DATE,
    termination_date DATE,
    commit_rate INTEGER,
    description VARCHAR(200) NOT NULL DEFAULT '',
    distance DECIMAL(8, 2),
    distance_unit VARCHAR(50),
    termination_a_id BIGINT,
    termination_z_id BIGINT,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_circuit_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES circuits_provider (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_circuit_provider_account_id_fkey FOREIGN KEY (provider_account_id) REFERENCES circuits_provideraccount (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_circuit_type_id_fkey FOREIGN KEY (type_id) REFERENCES circuits_circuittype (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_circuit_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_circuit_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_circuit_provider_id_cid_key ON circuits_circuit (provider_id, cid);
CREATE UNIQUE INDEX circuits_circuit_provider_account_id_cid_key ON circuits_circuit (provider_account_id, cid);
CREATE INDEX circuits_circuit_provider_id_provider_account_id_cid_idx ON circuits_circuit (provider_id, provider_account_id, cid);
CREATE INDEX circuits_circuit_type_id_idx ON circuits_circuit (type_id);
CREATE INDEX circuits_circuit_tenant_id_idx ON circuits_circuit (tenant_id);
CREATE INDEX circuits_circuit_termination_a_id_idx ON circuits_circuit (termination_a_id);
CREATE INDEX circuits_circuit_termination_z_id_idx ON circuits_circuit (termination_z_id);
CREATE INDEX circuits_circuit_owner_id_idx ON circuits_circuit (owner_id);
SELECT keep_row_count('circuits_circuit', 'circuits.circuit');

CREATE TABLE circuits_circuittermination (
    id BIGSERIAL PRIMARY KEY,
    circuit_id BIGINT NOT NULL,
    term_side VARCHAR(1) NOT NULL,
    termination_type VARCHAR(100),
    termination_id BIGINT,
    port_speed INTEGER,
    upstream_speed INTEGER,
    xconnect_id VARCHAR(50) NOT NULL DEFAULT '',
    pp_info VARCHAR(100) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    mark_connected BOOLEAN NOT NULL DEFAULT false,
    cable_id BIGINT,
    cable_end VARCHAR(1),
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_circuittermination_termination_check CHECK ((termination_type IS NULL) = (termination_id IS NULL)),
    CONSTRAINT circuits_circuittermination_circuit_id_fkey FOREIGN KEY (circuit_id) REFERENCES circuits_circuit (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT circuits_circuittermination_cable_id_fkey FOREIGN KEY (cable_id) REFERENCES dcim_cable (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_circuittermination_circuit_id_term_side_key ON circuits_circuittermination (circuit_id, term_side);
CREATE INDEX circuits_circuittermination_termination_type_termination_id_idx ON circuits_circuittermination (termination_type, termination_id);
CREATE INDEX circuits_circuittermination_cable_id_idx ON circuits_circuittermination (cable_id);
SELECT keep_row_count('circuits_circuittermination', 'circuits.circuittermination');

CREATE TABLE circuits_circuitgroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    tenant_id BIGINT,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_circuitgroup_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_circuitgroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_circuitgroup_name_key ON circuits_circuitgroup (name);
CREATE UNIQUE INDEX circuits_circuitgroup_slug_key ON circuits_circuitgroup (slug);
CREATE INDEX circuits_circuitgroup_tenant_id_idx ON circuits_circuitgroup (tenant_id);
CREATE INDEX circuits_circuitgroup_owner_id_idx ON circuits_circuitgroup (owner_id);
SELECT keep_row_count('circuits_circuitgroup', 'circuits.circuitgroup');

CREATE TABLE circuits_circuitgroupassignment (
    id BIGSERIAL PRIMARY KEY,
    group_id BIGINT NOT NULL,
    member_type VARCHAR(100) NOT NULL,
    member_id BIGINT NOT NULL,
    priority VARCHAR(50),
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_circuitgroupassignment_group_id_fkey FOREIGN KEY (group_id) REFERENCES circuits_circuitgroup (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_circuitgroupassignment_member_type_member_id_group_key ON circuits_circuitgroupassignment (member_type, member_id, group_id);
CREATE INDEX circuits_circuitgroupassignment_group_id_member_type_member_idx ON circuits_circuitgroupassignment (group_id, member_type, member_id, priority, id);
SELECT keep_row_count('circuits_circuitgroupassignment', 'circuits.circuitgroupassignment');

CREATE TABLE circuits_virtualcircuittype (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_virtualcircuittype_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_virtualcircuittype_name_key ON circuits_virtualcircuittype (name);
CREATE UNIQUE INDEX circuits_virtualcircuittype_slug_key ON circuits_virtualcircuittype (slug);
CREATE INDEX circuits_virtualcircuittype_owner_id_idx ON circuits_virtualcircuittype (owner_id);
SELECT keep_row_count('circuits_virtualcircuittype', 'circuits.virtualcircuittype');

CREATE TABLE circuits_virtualcircuit (
    id BIGSERIAL PRIMARY KEY,
    cid VARCHAR(100) NOT NULL,
    provider_network_id BIGINT NOT NULL,
    provider_account_id BIGINT,
    type_id BIGINT NOT NULL,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    tenant_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_virtualcircuit_provider_network_id_fkey FOREIGN KEY (provider_network_id) REFERENCES circuits_providernetwork (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_virtualcircuit_provider_account_id_fkey FOREIGN KEY (provider_account_id) REFERENCES circuits_provideraccount (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_virtualcircuit_type_id_fkey FOREIGN KEY (type_id) REFERENCES circuits_virtualcircuittype (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_virtualcircuit_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT circuits_virtualcircuit_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_virtualcircuit_provider_network_id_cid_key ON circuits_virtualcircuit (provider_network_id, cid);
CREATE UNIQUE INDEX circuits_virtualcircuit_provider_account_id_cid_key ON circuits_virtualcircuit (provider_account_id, cid);
CREATE INDEX circuits_virtualcircuit_provider_network_id_provider_accoun_idx ON circuits_virtualcircuit (provider_network_id, provider_account_id, cid);
CREATE INDEX circuits_virtualcircuit_type_id_idx ON circuits_virtualcircuit (type_id);
CREATE INDEX circuits_virtualcircuit_tenant_id_idx ON circuits_virtualcircuit (tenant_id);
CREATE INDEX circuits_virtualcircuit_owner_id_idx ON circuits_virtualcircuit (owner_id);
SELECT keep_row_count('circuits_virtualcircuit', 'circuits.virtualcircuit');

CREATE TABLE circuits_virtualcircuittermination (
    id BIGSERIAL PRIMARY KEY,
    virtual_circuit_id BIGINT NOT NULL,
    role VARCHAR(50) NOT NULL DEFAULT 'peer',
    interface_id BIGINT NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT circuits_virtualcircuittermination_virtual_circuit_id_fkey FOREIGN KEY (virtual_circuit_id) REFERENCES circuits_virtualcircuit (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT circuits_virtualcircuittermination_interface_id_fkey FOREIGN KEY (interface_id) REFERENCES dcim_interface (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX circuits_virtualcircuittermination_interface_id_key ON circuits_virtualcircuittermination (interface_id);
CREATE INDEX circuits_virtualcircuittermination_virtual_circuit_id_role__idx ON circuits_virtualcircuittermination (virtual_circuit_id, role, id);
SELECT keep_row_count('circuits_virtualcircuittermination', 'circuits.virtualcircuittermination');

CREATE TABLE circuits_provider_asns (
    provider_id BIGINT NOT NULL,
    asn_id BIGINT NOT NULL,
    CONSTRAINT circuits_provider_asns_pkey PRIMARY KEY (provider_id, asn_id),
    CONSTRAINT circuits_provider_asns_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES circuits_provider (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT circuits_provider_asns_asn_id_fkey FOREIGN KEY (asn_id) REFERENCES ipam_asn (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX circuits_provider_asns_asn_id_idx ON circuits_provider_asns (asn_id);
