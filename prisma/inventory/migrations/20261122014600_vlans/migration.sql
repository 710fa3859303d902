-- VLANs, their groups and translations; prefixes know theirs.

CREATE TABLE ipam_vlangroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    scope_type VARCHAR(100),
    scope_id BIGINT,
    vid_ranges int4range[] NOT NULL,
    tenant_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_vlangroup_scope_check CHECK ((scope_type IS NULL) = (scope_id IS NULL)),
    CONSTRAINT ipam_vlangroup_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX ipam_vlangroup_scope_type_scope_id_name_key ON ipam_vlangroup (scope_type, scope_id, name);
CREATE UNIQUE INDEX ipam_vlangroup_scope_type_scope_id_slug_key ON ipam_vlangroup (scope_type, scope_id, slug);
CREATE INDEX ipam_vlangroup_name_id_idx ON ipam_vlangroup (name, id);
CREATE INDEX ipam_vlangroup_slug_idx ON ipam_vlangroup (slug);
CREATE INDEX ipam_vlangroup_tenant_id_idx ON ipam_vlangroup (tenant_id);
SELECT keep_row_count('ipam_vlangroup', 'ipam.vlangroup');

CREATE TABLE ipam_vlan (
    id BIGSERIAL PRIMARY KEY,
    site_id BIGINT,
    group_id BIGINT,
    vid SMALLINT NOT NULL,
    name VARCHAR(64) NOT NULL,
    tenant_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    role_id BIGINT,
    qinq_role VARCHAR(50),
    qinq_svlan_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_vlan_vid_check CHECK (vid BETWEEN 1 AND 4094),
    CONSTRAINT ipam_vlan_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_vlan_group_id_fkey FOREIGN KEY (group_id) REFERENCES ipam_vlangroup (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_vlan_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_vlan_role_id_fkey FOREIGN KEY (role_id) REFERENCES ipam_role (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT ipam_vlan_qinq_svlan_id_fkey FOREIGN KEY (qinq_svlan_id) REFERENCES ipam_vlan (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX ipam_vlan_group_id_vid_key ON ipam_vlan (group_id, vid);
CREATE UNIQUE INDEX ipam_vlan_group_id_name_key ON ipam_vlan (group_id, name);
CREATE UNIQUE INDEX ipam_vlan_qinq_svlan_id_vid_key ON ipam_vlan (qinq_svlan_id, vid);
CREATE UNIQUE INDEX ipam_vlan_qinq_svlan_id_name_key ON ipam_vlan (qinq_svlan_id, name);
CREATE INDEX ipam_vlan_site_id_group_id_vid_id_idx ON ipam_vlan (site_id, group_id, vid, id);
CREATE INDEX ipam_vlan_vid_idx ON ipam_vlan (vid);
CREATE INDEX ipam_vlan_tenant_id_idx ON ipam_vlan (tenant_id);
CREATE INDEX ipam_vlan_role_id_idx ON ipam_vlan (role_id);
SELECT keep_row_count('ipam_vlan', 'ipam.vlan');

-- What a VLAN must have in common with its group: an id out of the group's ranges, and the place the group is for.
CREATE FUNCTION ipam_place_vlan() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_group ipam_vlangroup;
    place TEXT;
BEGIN
    SELECT * INTO of_group FROM ipam_vlangroup g WHERE g.id = NEW.group_id FOR KEY SHARE;
    IF of_group.id IS NULL THEN
        RETURN NEW;
    END IF;
    IF NOT EXISTS (SELECT FROM unnest(of_group.vid_ranges) r WHERE r @> NEW.vid::integer) THEN
        RAISE EXCEPTION 'vid outside its group' USING ERRCODE = 'check_violation', TABLE = 'ipam_vlan',
            CONSTRAINT = 'ipam_vlan_group_ranges', COLUMN = 'vid',
            DETAIL = format('VID must be in ranges %s for VLANs in group %s',
                (SELECT string_agg(lower(r) || '-' || upper(r) - 1, ', ' ORDER BY n) FROM unnest(of_group.vid_ranges) WITH ORDINALITY AS ranges(r, n)),
                of_group.name);
    END IF;
    IF NEW.site_id IS NULL THEN
        RETURN NEW;
    END IF;
    IF of_group.scope_type = 'dcim.site' AND of_group.scope_id <> NEW.site_id THEN
        SELECT format('VLAN is assigned to group %s (scope: %s); cannot also assign to site %s.', of_group.name, other.name, own.name)
            INTO place FROM dcim_site own, dcim_site other WHERE own.id = NEW.site_id AND other.id = of_group.scope_id;
    ELSIF of_group.scope_type = 'dcim.sitegroup' THEN
        SELECT format('The assigned site %s is not a member of the assigned group %s (scope: %s).', own.name, of_group.name, sites.name)
            INTO place FROM dcim_site own, dcim_sitegroup sites
            WHERE own.id = NEW.site_id AND sites.id = of_group.scope_id AND own.group_id IS DISTINCT FROM sites.id;
    END IF;
    IF place IS NOT NULL THEN
        RAISE EXCEPTION 'site outside the scope of the group' USING ERRCODE = 'check_violation', TABLE = 'ipam_vlan',
            CONSTRAINT = 'ipam_vlan_group_scope', DETAIL = place;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER place_vlan BEFORE INSERT ON ipam_vlan
    FOR EACH ROW WHEN (NEW.group_id IS NOT NULL) EXECUTE FUNCTION ipam_place_vlan();
CREATE TRIGGER move_vlan BEFORE UPDATE OF vid, group_id, site_id ON ipam_vlan FOR EACH ROW
    WHEN (NEW.group_id IS NOT NULL AND (OLD.vid, OLD.group_id, OLD.site_id) IS DISTINCT FROM (NEW.vid, NEW.group_id, NEW.site_id))
    EXECUTE FUNCTION ipam_place_vlan();

ALTER TABLE ipam_prefix ADD COLUMN vlan_id BIGINT;
ALTER TABLE ipam_prefix ADD CONSTRAINT ipam_prefix_vlan_id_fkey FOREIGN KEY (vlan_id) REFERENCES ipam_vlan (id) ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX ipam_prefix_vlan_id_idx ON ipam_prefix (vlan_id);

CREATE TABLE ipam_vlantranslationpolicy (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX ipam_vlantranslationpolicy_name_key ON ipam_vlantranslationpolicy (name);
SELECT keep_row_count('ipam_vlantranslationpolicy', 'ipam.vlantranslationpolicy');

CREATE TABLE ipam_vlantranslationrule (
    id BIGSERIAL PRIMARY KEY,
    policy_id BIGINT NOT NULL,
    local_vid SMALLINT NOT NULL,
    remote_vid SMALLINT NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_vlantranslationrule_vid_check CHECK (local_vid BETWEEN 1 AND 4094 AND remote_vid BETWEEN 1 AND 4094),
    CONSTRAINT ipam_vlantranslationrule_policy_id_fkey FOREIGN KEY (policy_id) REFERENCES ipam_vlantranslationpolicy (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX ipam_vlantranslationrule_policy_id_local_vid_key ON ipam_vlantranslationrule (policy_id, local_vid);
CREATE UNIQUE INDEX ipam_vlantranslationrule_policy_id_remote_vid_key ON ipam_vlantranslationrule (policy_id, remote_vid);
SELECT keep_row_count('ipam_vlantranslationrule', 'ipam.vlantranslationrule');
