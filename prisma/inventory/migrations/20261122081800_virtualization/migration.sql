-- Clusters and virtual machines.

CREATE TABLE virtualization_clustertype (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT virtualization_clustertype_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX virtualization_clustertype_name_key ON virtualization_clustertype (name);
CREATE UNIQUE INDEX virtualization_clustertype_slug_key ON virtualization_clustertype (slug);
CREATE INDEX virtualization_clustertype_owner_id_idx ON virtualization_clustertype (owner_id);
SELECT keep_row_count('virtualization_clustertype', 'virtualization.clustertype');

CREATE TABLE virtualization_clustergroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT virtualization_clustergroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX virtualization_clustergroup_name_key ON virtualization_clustergroup (name);
CREATE UNIQUE INDEX virtualization_clustergroup_slug_key ON virtualization_clustergroup (slug);
CREATE INDEX virtualization_clustergroup_owner_id_idx ON virtualization_clustergroup (owner_id);
SELECT keep_row_count('virtualization_clustergroup', 'virtualization.clustergroup');

CREATE TABLE virtualization_cluster (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    type_id BIGINT NOT NULL,
    group_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    tenant_id BIGINT,
    scope_type VARCHAR(100),
    scope_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    _site_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT virtualization_cluster_scope_check CHECK ((scope_type IS NULL) = (scope_id IS NULL)),
    CONSTRAINT virtualization_cluster_type_id_fkey FOREIGN KEY (type_id) REFERENCES virtualization_clustertype (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_cluster_group_id_fkey FOREIGN KEY (group_id) REFERENCES virtualization_clustergroup (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_cluster_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_cluster_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_cluster__site_id_fkey FOREIGN KEY (_site_id) REFERENCES dcim_site (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX virtualization_cluster_group_id_name_key ON virtualization_cluster (group_id, name);
CREATE UNIQUE INDEX virtualization_cluster__site_id_name_key ON virtualization_cluster (_site_id, name);
CREATE INDEX virtualization_cluster_scope_type_scope_id_idx ON virtualization_cluster (scope_type, scope_id);
CREATE INDEX virtualization_cluster_name_id_idx ON virtualization_cluster (name, id);
CREATE INDEX virtualization_cluster_type_id_idx ON virtualization_cluster (type_id);
CREATE INDEX virtualization_cluster_tenant_id_idx ON virtualization_cluster (tenant_id);
CREATE INDEX virtualization_cluster_owner_id_idx ON virtualization_cluster (owner_id);
SELECT keep_row_count('virtualization_cluster', 'virtualization.cluster');

CREATE TABLE virtualization_virtualmachinetype (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    default_platform_id BIGINT,
    default_vcpus DECIMAL(6, 2),
    default_memory INTEGER,
    description VARCHAR(200) NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT virtualization_virtualmachinetype_default_platform_id_fkey FOREIGN KEY (default_platform_id) REFERENCES dcim_platform (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachinetype_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX virtualization_virtualmachinetype_slug_key ON virtualization_virtualmachinetype (slug);
CREATE UNIQUE INDEX virtualization_virtualmachinetype_unique_name ON virtualization_virtualmachinetype (lower(name));
CREATE INDEX virtualization_virtualmachinetype_name_idx ON virtualization_virtualmachinetype (name);
CREATE INDEX virtualization_virtualmachinetype_default_platform_id_idx ON virtualization_virtualmachinetype (default_platform_id);
CREATE INDEX virtualization_virtualmachinetype_owner_id_idx ON virtualization_virtualmachinetype (owner_id);
SELECT keep_row_count('virtualization_virtualmachinetype', 'virtualization.virtualmachinetype');

CREATE TABLE virtualization_virtualmachine (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    virtual_machine_type_id BIGINT,
    role_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    start_on_boot VARCHAR(32) NOT NULL DEFAULT 'off',
    site_id BIGINT,
    cluster_id BIGINT,
    device_id BIGINT,
    platform_id BIGINT,
    primary_ip4_id BIGINT,
    primary_ip6_id BIGINT,
    vcpus DECIMAL(6, 2),
    memory INTEGER,
    disk INTEGER,
    description VARCHAR(200) NOT NULL DEFAULT '',
    serial VARCHAR(50) NOT NULL DEFAULT '',
    tenant_id BIGINT,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    local_context_data JSONB,
    config_template_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT virtualization_virtualmachine_place_check CHECK (num_nonnulls(site_id, cluster_id, device_id) > 0),
    CONSTRAINT virtualization_virtualmachine_virtual_machine_type_id_fkey FOREIGN KEY (virtual_machine_type_id) REFERENCES virtualization_virtualmachinetype (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_role_id_fkey FOREIGN KEY (role_id) REFERENCES dcim_devicerole (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES virtualization_cluster (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_device_id_fkey FOREIGN KEY (device_id) REFERENCES dcim_device (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_platform_id_fkey FOREIGN KEY (platform_id) REFERENCES dcim_platform (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_primary_ip4_id_fkey FOREIGN KEY (primary_ip4_id) REFERENCES ipam_ipaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_primary_ip6_id_fkey FOREIGN KEY (primary_ip6_id) REFERENCES ipam_ipaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualmachine_config_template_id_fkey FOREIGN KEY (config_template_id) REFERENCES extras_configtemplate (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX virtualization_virtualmachine_primary_ip4_id_key ON virtualization_virtualmachine (primary_ip4_id);
CREATE UNIQUE INDEX virtualization_virtualmachine_primary_ip6_id_key ON virtualization_virtualmachine (primary_ip6_id);
CREATE UNIQUE INDEX virtualization_virtualmachine_unique_name_cluster_tenant ON virtualization_virtualmachine (lower(name), cluster_id, tenant_id);
CREATE UNIQUE INDEX virtualization_virtualmachine_unique_name_cluster ON virtualization_virtualmachine (lower(name), cluster_id) WHERE tenant_id IS NULL;
CREATE UNIQUE INDEX virtualization_virtualmachine_unique_name_device_tenant ON virtualization_virtualmachine (lower(name), device_id, tenant_id) WHERE cluster_id IS NULL AND device_id IS NOT NULL;
CREATE UNIQUE INDEX virtualization_virtualmachine_unique_name_device ON virtualization_virtualmachine (lower(name), device_id) WHERE cluster_id IS NULL AND device_id IS NOT NULL AND tenant_id IS NULL;
CREATE INDEX virtualization_virtualmachine_name_id_idx ON virtualization_virtualmachine (name, id);
CREATE INDEX virtualization_virtualmachine_virtual_machine_type_id_idx ON virtualization_virtualmachine (virtual_machine_type_id);
CREATE INDEX virtualization_virtualmachine_role_id_idx ON virtualization_virtualmachine (role_id);
CREATE INDEX virtualization_virtualmachine_site_id_idx ON virtualization_virtualmachine (site_id);
CREATE INDEX virtualization_virtualmachine_cluster_id_idx ON virtualization_virtualmachine (cluster_id);
CREATE INDEX virtualization_virtualmachine_device_id_idx ON virtualization_virtualmachine (device_id);
CREATE INDEX virtualization_virtualmachine_platform_id_idx ON virtualization_virtualmachine (platform_id);
CREATE INDEX virtualization_virtualmachine_tenant_id_idx ON virtualization_virtualmachine (tenant_id);
CREATE INDEX virtualization_virtualmachine_owner_id_idx ON virtualization_virtualmachine (owner_id);
CREATE INDEX virtualization_virtualmachine_config_template_id_idx ON virtualization_virtualmachine (config_template_id);
SELECT keep_row_count('virtualization_virtualmachine', 'virtualization.virtualmachine');

CREATE TABLE virtualization_vminterface (
    id BIGSERIAL PRIMARY KEY,
    virtual_machine_id BIGINT NOT NULL,
    name VARCHAR(64) NOT NULL,
    enabled BOOLEAN NOT NULL DEFAULT true,
    parent_id BIGINT,
    bridge_id BIGINT,
    mtu INTEGER,
    primary_mac_address_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    mode VARCHAR(50),
    untagged_vlan_id BIGINT,
    qinq_svlan_id BIGINT,
    vlan_translation_policy_id BIGINT,
    vrf_id BIGINT,
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT virtualization_vminterface_mtu_check CHECK (mtu BETWEEN 1 AND 65536),
    CONSTRAINT virtualization_vminterface_virtual_machine_id_fkey FOREIGN KEY (virtual_machine_id) REFERENCES virtualization_virtualmachine (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES virtualization_vminterface (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_bridge_id_fkey FOREIGN KEY (bridge_id) REFERENCES virtualization_vminterface (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_primary_mac_address_id_fkey FOREIGN KEY (primary_mac_address_id) REFERENCES dcim_macaddress (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_untagged_vlan_id_fkey FOREIGN KEY (untagged_vlan_id) REFERENCES ipam_vlan (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_qinq_svlan_id_fkey FOREIGN KEY (qinq_svlan_id) REFERENCES ipam_vlan (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_vlan_translation_policy_id_fkey FOREIGN KEY (vlan_translation_policy_id) REFERENCES ipam_vlantranslationpolicy (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX virtualization_vminterface_primary_mac_address_id_key ON virtualization_vminterface (primary_mac_address_id);
CREATE UNIQUE INDEX virtualization_vminterface_virtual_machine_id_name_key ON virtualization_vminterface (virtual_machine_id, name);
-- Interfaces are listed by the numbers in their names (contract 1.7).
CREATE INDEX virtualization_vminterface_order_idx ON virtualization_vminterface (virtual_machine_id, dcim_interface_order(name), id);
CREATE INDEX virtualization_vminterface_parent_id_idx ON virtualization_vminterface (parent_id);
CREATE INDEX virtualization_vminterface_bridge_id_idx ON virtualization_vminterface (bridge_id);
CREATE INDEX virtualization_vminterface_untagged_vlan_id_idx ON virtualization_vminterface (untagged_vlan_id);
CREATE INDEX virtualization_vminterface_qinq_svlan_id_idx ON virtualization_vminterface (qinq_svlan_id);
CREATE INDEX virtualization_vminterface_vlan_translation_policy_id_idx ON virtualization_vminterface (vlan_translation_policy_id);
CREATE INDEX virtualization_vminterface_vrf_id_idx ON virtualization_vminterface (vrf_id);
CREATE INDEX virtualization_vminterface_owner_id_idx ON virtualization_vminterface (owner_id);
SELECT keep_row_count('virtualization_vminterface', 'virtualization.vminterface');

CREATE TABLE virtualization_virtualdisk (
    id BIGSERIAL PRIMARY KEY,
    virtual_machine_id BIGINT NOT NULL,
    name VARCHAR(64) COLLATE natural_sort NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    size INTEGER NOT NULL,
    owner_id BIGINT,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT virtualization_virtualdisk_virtual_machine_id_fkey FOREIGN KEY (virtual_machine_id) REFERENCES virtualization_virtualmachine (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT virtualization_virtualdisk_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX virtualization_virtualdisk_virtual_machine_id_name_key ON virtualization_virtualdisk (virtual_machine_id, name);
CREATE INDEX virtualization_virtualdisk_owner_id_idx ON virtualization_virtualdisk (owner_id);
SELECT keep_row_count('virtualization_virtualdisk', 'virtualization.virtualdisk');

CREATE TABLE virtualization_vminterface_tagged_vlans (
    vminterface_id BIGINT NOT NULL,
    vlan_id BIGINT NOT NULL,
    CONSTRAINT virtualization_vminterface_tagged_vlans_pkey PRIMARY KEY (vminterface_id, vlan_id),
    CONSTRAINT virtualization_vminterface_tagged_vlans_vminterface_id_fkey FOREIGN KEY (vminterface_id) REFERENCES virtualization_vminterface (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT virtualization_vminterface_tagged_vlans_vlan_id_fkey FOREIGN KEY (vlan_id) REFERENCES ipam_vlan (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX virtualization_vminterface_tagged_vlans_vlan_id_idx ON virtualization_vminterface_tagged_vlans (vlan_id);

-- Names of clusters differ within a site, and a location is in one.
CREATE FUNCTION virtualization_place_cluster() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW._site_id := CASE NEW.scope_type
        WHEN 'dcim.site' THEN NEW.scope_id
        WHEN 'dcim.location' THEN (SELECT l.site_id FROM dcim_location l WHERE l.id = NEW.scope_id) END;
    RETURN NEW;
END $$;
CREATE TRIGGER place_cluster BEFORE INSERT OR UPDATE OF scope_type, scope_id ON virtualization_cluster
    FOR EACH ROW EXECUTE FUNCTION virtualization_place_cluster();

CREATE FUNCTION virtualization_move_clusters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE virtualization_cluster SET _site_id = NEW.site_id WHERE scope_type = 'dcim.location' AND scope_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER move_clusters AFTER UPDATE OF site_id ON dcim_location FOR EACH ROW
    WHEN (OLD.site_id IS DISTINCT FROM NEW.site_id) EXECUTE FUNCTION virtualization_move_clusters();
