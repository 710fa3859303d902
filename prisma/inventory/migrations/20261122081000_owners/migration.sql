-- Owners of objects, and what people keep for themselves.

CREATE TABLE users_ownergroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX users_ownergroup_name_key ON users_ownergroup (name);
SELECT keep_row_count('users_ownergroup', 'users.ownergroup');

CREATE TABLE users_owner (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    group_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    CONSTRAINT users_owner_group_id_fkey FOREIGN KEY (group_id) REFERENCES users_ownergroup (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX users_owner_name_key ON users_owner (name);
CREATE INDEX users_owner_group_id_idx ON users_owner (group_id);
SELECT keep_row_count('users_owner', 'users.owner');

CREATE TABLE users_owner_user_groups (
    owner_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL,
    CONSTRAINT users_owner_user_groups_pkey PRIMARY KEY (owner_id, group_id),
    CONSTRAINT users_owner_user_groups_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT users_owner_user_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES users_group (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX users_owner_user_groups_group_id_idx ON users_owner_user_groups (group_id);

CREATE TABLE users_owner_users (
    owner_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    CONSTRAINT users_owner_users_pkey PRIMARY KEY (owner_id, user_id),
    CONSTRAINT users_owner_users_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT users_owner_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX users_owner_users_user_id_idx ON users_owner_users (user_id);

-- The preferences of a user, as the client keeps them.
CREATE TABLE users_userconfig (
    id BIGSERIAL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    data JSONB NOT NULL DEFAULT '{}',
    CONSTRAINT users_userconfig_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX users_userconfig_user_id_key ON users_userconfig (user_id);

ALTER TABLE dcim_region ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT dcim_region_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX dcim_region_owner_id_idx ON dcim_region (owner_id);
ALTER TABLE dcim_sitegroup ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT dcim_sitegroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX dcim_sitegroup_owner_id_idx ON dcim_sitegroup (owner_id);
ALTER TABLE dcim_site ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT dcim_site_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX dcim_site_owner_id_idx ON dcim_site (owner_id);
ALTER TABLE extras_eventrule ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT extras_eventrule_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX extras_eventrule_owner_id_idx ON extras_eventrule (owner_id);
ALTER TABLE extras_webhook ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT extras_webhook_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX extras_webhook_owner_id_idx ON extras_webhook (owner_id);
ALTER TABLE extras_customfield ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT extras_customfield_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX extras_customfield_owner_id_idx ON extras_customfield (owner_id);
ALTER TABLE extras_customfieldchoiceset ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT extras_customfieldchoiceset_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX extras_customfieldchoiceset_owner_id_idx ON extras_customfieldchoiceset (owner_id);
ALTER TABLE extras_tag ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT extras_tag_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX extras_tag_owner_id_idx ON extras_tag (owner_id);
ALTER TABLE ipam_asn ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_asn_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_asn_owner_id_idx ON ipam_asn (owner_id);
ALTER TABLE ipam_asnrange ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_asnrange_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_asnrange_owner_id_idx ON ipam_asnrange (owner_id);
ALTER TABLE ipam_vrf ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_vrf_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_vrf_owner_id_idx ON ipam_vrf (owner_id);
ALTER TABLE ipam_routetarget ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_routetarget_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_routetarget_owner_id_idx ON ipam_routetarget (owner_id);
ALTER TABLE ipam_rir ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_rir_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_rir_owner_id_idx ON ipam_rir (owner_id);
ALTER TABLE ipam_aggregate ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_aggregate_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_aggregate_owner_id_idx ON ipam_aggregate (owner_id);
ALTER TABLE ipam_role ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_role_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_role_owner_id_idx ON ipam_role (owner_id);
ALTER TABLE ipam_prefix ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_prefix_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_prefix_owner_id_idx ON ipam_prefix (owner_id);
ALTER TABLE ipam_iprange ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_iprange_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_iprange_owner_id_idx ON ipam_iprange (owner_id);
ALTER TABLE ipam_ipaddress ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_ipaddress_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_ipaddress_owner_id_idx ON ipam_ipaddress (owner_id);
ALTER TABLE ipam_fhrpgroup ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_fhrpgroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_fhrpgroup_owner_id_idx ON ipam_fhrpgroup (owner_id);
ALTER TABLE ipam_vlangroup ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_vlangroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_vlangroup_owner_id_idx ON ipam_vlangroup (owner_id);
ALTER TABLE ipam_vlan ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_vlan_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_vlan_owner_id_idx ON ipam_vlan (owner_id);
ALTER TABLE ipam_vlantranslationpolicy ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_vlantranslationpolicy_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_vlantranslationpolicy_owner_id_idx ON ipam_vlantranslationpolicy (owner_id);
ALTER TABLE ipam_servicetemplate ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_servicetemplate_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_servicetemplate_owner_id_idx ON ipam_servicetemplate (owner_id);
ALTER TABLE ipam_service ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT ipam_service_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_service_owner_id_idx ON ipam_service (owner_id);
ALTER TABLE tenancy_tenantgroup ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT tenancy_tenantgroup_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX tenancy_tenantgroup_owner_id_idx ON tenancy_tenantgroup (owner_id);
ALTER TABLE tenancy_tenant ADD COLUMN owner_id BIGINT,
    ADD CONSTRAINT tenancy_tenant_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX tenancy_tenant_owner_id_idx ON tenancy_tenant (owner_id);
