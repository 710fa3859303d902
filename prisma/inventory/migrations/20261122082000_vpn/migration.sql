-- Tunnels, what protects them, and layer 2 VPNs.

CREATE TABLE vpn_ikeproposal (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    authentication_method VARCHAR(50) NOT NULL,
    encryption_algorithm VARCHAR(50) NOT NULL,
    authentication_algorithm VARCHAR(50),
    "group" SMALLINT NOT NULL,
    sa_lifetime INTEGER,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_ikeproposal_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_ikeproposal_name_key ON vpn_ikeproposal (name);
CREATE INDEX vpn_ikeproposal_owner_id_idx ON vpn_ikeproposal (owner_id);
SELECT keep_row_count('vpn_ikeproposal', 'vpn.ikeproposal');

CREATE TABLE vpn_ikepolicy (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    version SMALLINT NOT NULL DEFAULT 2,
    mode VARCHAR(50),
    preshared_key TEXT NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_ikepolicy_mode_check CHECK ((version = 1) = (mode IS NOT NULL)),
    CONSTRAINT vpn_ikepolicy_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_ikepolicy_name_key ON vpn_ikepolicy (name);
CREATE INDEX vpn_ikepolicy_owner_id_idx ON vpn_ikepolicy (owner_id);
SELECT keep_row_count('vpn_ikepolicy', 'vpn.ikepolicy');

CREATE TABLE vpn_ipsecproposal (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    encryption_algorithm VARCHAR(50),
    authentication_algorithm VARCHAR(50),
    sa_lifetime_seconds INTEGER,
    sa_lifetime_data INTEGER,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_ipsecproposal_algorithm_check CHECK (num_nonnulls(encryption_algorithm, authentication_algorithm) > 0),
    CONSTRAINT vpn_ipsecproposal_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_ipsecproposal_name_key ON vpn_ipsecproposal (name);
CREATE INDEX vpn_ipsecproposal_owner_id_idx ON vpn_ipsecproposal (owner_id);
SELECT keep_row_count('vpn_ipsecproposal', 'vpn.ipsecproposal');

CREATE TABLE vpn_ipsecpolicy (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    pfs_group SMALLINT,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_ipsecpolicy_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_ipsecpolicy_name_key ON vpn_ipsecpolicy (name);
CREATE INDEX vpn_ipsecpolicy_owner_id_idx ON vpn_ipsecpolicy (owner_id);
SELECT keep_row_count('vpn_ipsecpolicy', 'vpn.ipsecpolicy');

CREATE TABLE vpn_ipsecprofile (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    mode VARCHAR(50) NOT NULL,
    ike_policy_id BIGINT NOT NULL,
    ipsec_policy_id BIGINT NOT NULL,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_ipsecprofile_ike_policy_id_fkey FOREIGN KEY (ike_policy_id) REFERENCES vpn_ikepolicy (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT vpn_ipsecprofile_ipsec_policy_id_fkey FOREIGN KEY (ipsec_policy_id) REFERENCES vpn_ipsecpolicy (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT vpn_ipsecprofile_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_ipsecprofile_name_key ON vpn_ipsecprofile (name);
CREATE INDEX vpn_ipsecprofile_ike_policy_id_idx ON vpn_ipsecprofile (ike_policy_id);
CREATE INDEX vpn_ipsecprofile_ipsec_policy_id_idx ON vpn_ipsecprofile (ipsec_policy_id);
CREATE INDEX vpn_ipsecprofile_owner_id_idx ON vpn_ipsecprofile (owner_id);
SELECT keep_row_count('vpn_ipsecprofile', 'vpn.ipsecprofile');

CREATE TABLE vpn_tunnelgroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_tunnelgroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_tunnelgroup_name_key ON vpn_tunnelgroup (name);
CREATE UNIQUE INDEX vpn_tunnelgroup_slug_key ON vpn_tunnelgroup (slug);
CREATE INDEX vpn_tunnelgroup_owner_id_idx ON vpn_tunnelgroup (owner_id);
SELECT keep_row_count('vpn_tunnelgroup', 'vpn.tunnelgroup');

CREATE TABLE vpn_tunnel (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    group_id BIGINT,
    encapsulation VARCHAR(50) NOT NULL,
    ipsec_profile_id BIGINT,
    tenant_id BIGINT,
    tunnel_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_tunnel_group_id_fkey FOREIGN KEY (group_id) REFERENCES vpn_tunnelgroup (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT vpn_tunnel_ipsec_profile_id_fkey FOREIGN KEY (ipsec_profile_id) REFERENCES vpn_ipsecprofile (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT vpn_tunnel_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT vpn_tunnel_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_tunnel_name_key ON vpn_tunnel (name);
CREATE UNIQUE INDEX vpn_tunnel_group_id_name_key ON vpn_tunnel (group_id, name);
CREATE UNIQUE INDEX vpn_tunnel_name ON vpn_tunnel (name) WHERE group_id IS NULL;
CREATE INDEX vpn_tunnel_ipsec_profile_id_idx ON vpn_tunnel (ipsec_profile_id);
CREATE INDEX vpn_tunnel_tenant_id_idx ON vpn_tunnel (tenant_id);
CREATE INDEX vpn_tunnel_owner_id_idx ON vpn_tunnel (owner_id);
SELECT keep_row_count('vpn_tunnel', 'vpn.tunnel');

CREATE TABLE vpn_tunneltermination (
    id BIGSERIAL PRIMARY KEY,
    tunnel_id BIGINT NOT NULL,
    role VARCHAR(50) NOT NULL DEFAULT 'peer',
    termination_type VARCHAR(100) NOT NULL,
    termination_id BIGINT,
    outside_ip_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_tunneltermination_tunnel_id_fkey FOREIGN KEY (tunnel_id) REFERENCES vpn_tunnel (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT vpn_tunneltermination_outside_ip_id_fkey FOREIGN KEY (outside_ip_id) REFERENCES ipam_ipaddress (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_tunneltermination_termination_type_termination_id_key ON vpn_tunneltermination (termination_type, termination_id);
CREATE INDEX vpn_tunneltermination_tunnel_id_role_id_idx ON vpn_tunneltermination (tunnel_id, role, id);
CREATE INDEX vpn_tunneltermination_outside_ip_id_idx ON vpn_tunneltermination (outside_ip_id);
SELECT keep_row_count('vpn_tunneltermination', 'vpn.tunneltermination');

CREATE TABLE vpn_l2vpn (
    id BIGSERIAL PRIMARY KEY,
    identifier BIGINT,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    type VARCHAR(50) NOT NULL,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    tenant_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_l2vpn_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT vpn_l2vpn_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_l2vpn_name_key ON vpn_l2vpn (name);
CREATE UNIQUE INDEX vpn_l2vpn_slug_key ON vpn_l2vpn (slug);
CREATE INDEX vpn_l2vpn_name_identifier_id_idx ON vpn_l2vpn (name, identifier, id);
CREATE INDEX vpn_l2vpn_owner_id_idx ON vpn_l2vpn (owner_id);
CREATE INDEX vpn_l2vpn_tenant_id_idx ON vpn_l2vpn (tenant_id);
SELECT keep_row_count('vpn_l2vpn', 'vpn.l2vpn');

CREATE TABLE vpn_l2vpntermination (
    id BIGSERIAL PRIMARY KEY,
    l2vpn_id BIGINT NOT NULL,
    assigned_object_type VARCHAR(100) NOT NULL,
    assigned_object_id BIGINT NOT NULL,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT vpn_l2vpntermination_l2vpn_id_fkey FOREIGN KEY (l2vpn_id) REFERENCES vpn_l2vpn (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX vpn_l2vpntermination_assigned_object_type_assigned_object_i_key ON vpn_l2vpntermination (assigned_object_type, assigned_object_id);
CREATE INDEX vpn_l2vpntermination_l2vpn_id_id_idx ON vpn_l2vpntermination (l2vpn_id, id);
SELECT keep_row_count('vpn_l2vpntermination', 'vpn.l2vpntermination');

CREATE TABLE vpn_ikepolicy_proposals (
    ikepolicy_id BIGINT NOT NULL,
    ikeproposal_id BIGINT NOT NULL,
    CONSTRAINT vpn_ikepolicy_proposals_pkey PRIMARY KEY (ikepolicy_id, ikeproposal_id),
    CONSTRAINT vpn_ikepolicy_proposals_ikepolicy_id_fkey FOREIGN KEY (ikepolicy_id) REFERENCES vpn_ikepolicy (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT vpn_ikepolicy_proposals_ikeproposal_id_fkey FOREIGN KEY (ikeproposal_id) REFERENCES vpn_ikeproposal (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX vpn_ikepolicy_proposals_ikeproposal_id_idx ON vpn_ikepolicy_proposals (ikeproposal_id);

CREATE TABLE vpn_ipsecpolicy_proposals (
    ipsecpolicy_id BIGINT NOT NULL,
    ipsecproposal_id BIGINT NOT NULL,
    CONSTRAINT vpn_ipsecpolicy_proposals_pkey PRIMARY KEY (ipsecpolicy_id, ipsecproposal_id),
    CONSTRAINT vpn_ipsecpolicy_proposals_ipsecpolicy_id_fkey FOREIGN KEY (ipsecpolicy_id) REFERENCES vpn_ipsecpolicy (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT vpn_ipsecpolicy_proposals_ipsecproposal_id_fkey FOREIGN KEY (ipsecproposal_id) REFERENCES vpn_ipsecproposal (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX vpn_ipsecpolicy_proposals_ipsecproposal_id_idx ON vpn_ipsecpolicy_proposals (ipsecproposal_id);

CREATE TABLE vpn_l2vpn_import_targets (
    l2vpn_id BIGINT NOT NULL,
    routetarget_id BIGINT NOT NULL,
    CONSTRAINT vpn_l2vpn_import_targets_pkey PRIMARY KEY (l2vpn_id, routetarget_id),
    CONSTRAINT vpn_l2vpn_import_targets_l2vpn_id_fkey FOREIGN KEY (l2vpn_id) REFERENCES vpn_l2vpn (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT vpn_l2vpn_import_targets_routetarget_id_fkey FOREIGN KEY (routetarget_id) REFERENCES ipam_routetarget (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX vpn_l2vpn_import_targets_routetarget_id_idx ON vpn_l2vpn_import_targets (routetarget_id);

CREATE TABLE vpn_l2vpn_export_targets (
    l2vpn_id BIGINT NOT NULL,
    routetarget_id BIGINT NOT NULL,
    CONSTRAINT vpn_l2vpn_export_targets_pkey PRIMARY KEY (l2vpn_id, routetarget_id),
    CONSTRAINT vpn_l2vpn_export_targets_l2vpn_id_fkey FOREIGN KEY (l2vpn_id) REFERENCES vpn_l2vpn (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT vpn_l2vpn_export_targets_routetarget_id_fkey FOREIGN KEY (routetarget_id) REFERENCES ipam_routetarget (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX vpn_l2vpn_export_targets_routetarget_id_idx ON vpn_l2vpn_export_targets (routetarget_id);
