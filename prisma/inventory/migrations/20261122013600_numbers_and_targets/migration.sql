-- Registries, AS numbers, aggregates, and the targets by which VRFs exchange routes.

CREATE TABLE ipam_routetarget (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(21) COLLATE natural_sort NOT NULL,
    tenant_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_routetarget_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX ipam_routetarget_name_key ON ipam_routetarget (name);
CREATE INDEX ipam_routetarget_tenant_id_idx ON ipam_routetarget (tenant_id);
SELECT keep_row_count('ipam_routetarget', 'ipam.routetarget');

CREATE TABLE ipam_vrf_import_targets (
    vrf_id BIGINT NOT NULL,
    routetarget_id BIGINT NOT NULL,
    CONSTRAINT ipam_vrf_import_targets_pkey PRIMARY KEY (vrf_id, routetarget_id),
    CONSTRAINT ipam_vrf_import_targets_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT ipam_vrf_import_targets_routetarget_id_fkey FOREIGN KEY (routetarget_id) REFERENCES ipam_routetarget (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX ipam_vrf_import_targets_routetarget_id_idx ON ipam_vrf_import_targets (routetarget_id);

CREATE TABLE ipam_vrf_export_targets (
    vrf_id BIGINT NOT NULL,
    routetarget_id BIGINT NOT NULL,
    CONSTRAINT ipam_vrf_export_targets_pkey PRIMARY KEY (vrf_id, routetarget_id),
    CONSTRAINT ipam_vrf_export_targets_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT ipam_vrf_export_targets_routetarget_id_fkey FOREIGN KEY (routetarget_id) REFERENCES ipam_routetarget (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX ipam_vrf_export_targets_routetarget_id_idx ON ipam_vrf_export_targets (routetarget_id);

CREATE TABLE ipam_rir (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    is_private BOOLEAN NOT NULL DEFAULT false,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX ipam_rir_name_key ON ipam_rir (name);
CREATE UNIQUE INDEX ipam_rir_slug_key ON ipam_rir (slug);
SELECT keep_row_count('ipam_rir', 'ipam.rir');

CREATE TABLE ipam_asn (
    id BIGSERIAL PRIMARY KEY,
    asn BIGINT NOT NULL,
    rir_id BIGINT NOT NULL,
    role_id BIGINT,
    tenant_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_asn_asn_check CHECK (asn BETWEEN 1 AND 4294967295),
    CONSTRAINT ipam_asn_rir_id_fkey FOREIGN KEY (rir_id) REFERENCES ipam_rir (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_asn_role_id_fkey FOREIGN KEY (role_id) REFERENCES ipam_role (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT ipam_asn_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX ipam_asn_asn_key ON ipam_asn (asn);
CREATE INDEX ipam_asn_rir_id_idx ON ipam_asn (rir_id);
CREATE INDEX ipam_asn_role_id_idx ON ipam_asn (role_id);
CREATE INDEX ipam_asn_tenant_id_idx ON ipam_asn (tenant_id);
SELECT keep_row_count('ipam_asn', 'ipam.asn');

CREATE TABLE dcim_site_asns (
    site_id BIGINT NOT NULL,
    asn_id BIGINT NOT NULL,
    CONSTRAINT dcim_site_asns_pkey PRIMARY KEY (site_id, asn_id),
    CONSTRAINT dcim_site_asns_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT dcim_site_asns_asn_id_fkey FOREIGN KEY (asn_id) REFERENCES ipam_asn (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX dcim_site_asns_asn_id_idx ON dcim_site_asns (asn_id);

CREATE TABLE ipam_asnrange (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    rir_id BIGINT NOT NULL,
    "start" BIGINT NOT NULL,
    "end" BIGINT NOT NULL,
    tenant_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_asnrange_check CHECK ("start" >= 1 AND "start" < "end" AND "end" <= 4294967295),
    CONSTRAINT ipam_asnrange_rir_id_fkey FOREIGN KEY (rir_id) REFERENCES ipam_rir (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_asnrange_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX ipam_asnrange_name_key ON ipam_asnrange (name);
CREATE UNIQUE INDEX ipam_asnrange_slug_key ON ipam_asnrange (slug);
CREATE INDEX ipam_asnrange_rir_id_idx ON ipam_asnrange (rir_id);
CREATE INDEX ipam_asnrange_tenant_id_idx ON ipam_asnrange (tenant_id);
SELECT keep_row_count('ipam_asnrange', 'ipam.asnrange');

CREATE TABLE ipam_aggregate (
    id BIGSERIAL PRIMARY KEY,
    prefix CIDR NOT NULL,
    rir_id BIGINT NOT NULL,
    tenant_id BIGINT,
    date_added DATE,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    -- The last word when the trigger below did not see a rival.
    CONSTRAINT ipam_aggregate_overlap EXCLUDE USING gist ((prefix::inet) inet_ops WITH &&),
    CONSTRAINT ipam_aggregate_rir_id_fkey FOREIGN KEY (rir_id) REFERENCES ipam_rir (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_aggregate_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX ipam_aggregate_prefix_id_idx ON ipam_aggregate (prefix, id);
CREATE INDEX ipam_aggregate_rir_id_idx ON ipam_aggregate (rir_id);
CREATE INDEX ipam_aggregate_tenant_id_idx ON ipam_aggregate (tenant_id);
SELECT keep_row_count('ipam_aggregate', 'ipam.aggregate');

-- Says in words what overlaps. Writers of aggregates stand in line, so that it sees every rival.
CREATE FUNCTION ipam_place_aggregate() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    rival CIDR;
    words TEXT;
BEGIN
    PERFORM pg_advisory_xact_lock(100500, 0);
    SELECT a.prefix INTO rival FROM ipam_aggregate a
        WHERE a.prefix::inet && NEW.prefix::inet AND a.id <> NEW.id ORDER BY a.prefix LIMIT 1;
    IF rival IS NULL THEN
        RETURN NEW;
    END IF;
    words := CASE WHEN rival >>= NEW.prefix
        THEN format('Aggregates cannot overlap. %s is already covered by an existing aggregate (%s).', NEW.prefix, rival)
        ELSE format('Prefixes cannot overlap aggregates. %s covers an existing aggregate (%s).', NEW.prefix, rival) END;
    RAISE EXCEPTION 'overlapping aggregate' USING ERRCODE = 'check_violation', TABLE = 'ipam_aggregate',
        CONSTRAINT = 'ipam_aggregate_overlap', COLUMN = 'prefix', DETAIL = words;
END $$;
CREATE TRIGGER place_aggregate BEFORE INSERT ON ipam_aggregate FOR EACH ROW EXECUTE FUNCTION ipam_place_aggregate();
CREATE TRIGGER move_aggregate BEFORE UPDATE OF prefix ON ipam_aggregate FOR EACH ROW
    WHEN (OLD.prefix IS DISTINCT FROM NEW.prefix) EXECUTE FUNCTION ipam_place_aggregate();
