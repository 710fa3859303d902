-- First tables of the inventory: users, extras, tenancy, dcim, ipam, and what the engine keeps beside them.

CREATE EXTENSION IF NOT EXISTS btree_gist;

-- Numbers inside names sort by value, letters without regard to case first (contract 1.7).
CREATE COLLATION natural_sort (provider = icu, locale = 'und-u-kn-true');

-- Exact row counts without a hot row -------------------------------------------------------------------

-- One row per model and slot. A backend writes its own slot, so concurrent writers do not wait for each other.
CREATE TABLE row_counts (
    model VARCHAR(100) NOT NULL,
    slot INTEGER NOT NULL,
    n BIGINT NOT NULL,
    CONSTRAINT row_counts_pkey PRIMARY KEY (model, slot)
);

CREATE FUNCTION count_added_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts AS c (model, slot, n)
    SELECT TG_ARGV[0], pg_backend_pid() % 32, count(*) FROM added HAVING count(*) > 0
    ON CONFLICT (model, slot) DO UPDATE SET n = c.n + excluded.n;
    RETURN NULL;
END $$;

CREATE FUNCTION count_removed_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_counts AS c (model, slot, n)
    SELECT TG_ARGV[0], pg_backend_pid() % 32, -count(*) FROM removed HAVING count(*) > 0
    ON CONFLICT (model, slot) DO UPDATE SET n = c.n + excluded.n;
    RETURN NULL;
END $$;

CREATE FUNCTION forget_row_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM row_counts WHERE model = TG_ARGV[0];
    RETURN NULL;
END $$;

-- Called once per model table by the migration that creates it.
CREATE FUNCTION keep_row_count(target regclass, model text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER count_added AFTER INSERT ON %s REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION count_added_rows(%L)', target, model);
    EXECUTE format('CREATE TRIGGER count_removed AFTER DELETE ON %s REFERENCING OLD TABLE AS removed
        FOR EACH STATEMENT EXECUTE FUNCTION count_removed_rows(%L)', target, model);
    EXECUTE format('CREATE TRIGGER count_truncated AFTER TRUNCATE ON %s
        FOR EACH STATEMENT EXECUTE FUNCTION forget_row_count(%L)', target, model);
END $$;

-- Trees ------------------------------------------------------------------------------------------------

-- A node knows the ids and the names from its root down to itself. `_path` answers "below this node",
-- `_sort` is the order depth first by name. Writers of one tree wait for each other only when a node moves.
CREATE FUNCTION place_tree_node() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    above_path BIGINT[] := '{}';
    above_sort TEXT[] := '{}';
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM pg_advisory_xact_lock_shared(105000, TG_RELID::integer);
    ELSE
        PERFORM pg_advisory_xact_lock(105000, TG_RELID::integer);
    END IF;
    IF NEW.parent_id IS NOT NULL THEN
        EXECUTE format('SELECT _path, _sort FROM %I WHERE id = $1', TG_TABLE_NAME)
            INTO above_path, above_sort USING NEW.parent_id;
        -- A parent that does not exist is the foreign key's to refuse.
        above_path := coalesce(above_path, '{}');
        above_sort := coalesce(above_sort, '{}');
        IF NEW.id = ANY (above_path) THEN
            RAISE EXCEPTION 'A node cannot stand below itself.'
                USING ERRCODE = 'check_violation', CONSTRAINT = TG_TABLE_NAME || '_parent_cycle', TABLE = TG_TABLE_NAME;
        END IF;
    END IF;
    NEW._path := above_path || NEW.id;
    NEW._sort := above_sort || NEW.name::text;
    NEW._depth := cardinality(above_path);
    RETURN NEW;
END $$;

CREATE FUNCTION move_tree_descendants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE %I SET
            _path = $1 || _path[cardinality($2) + 1:],
            _sort = $3 || _sort[cardinality($4) + 1:],
            _depth = _depth + $5
        WHERE _path @> ARRAY[$6] AND id <> $6', TG_TABLE_NAME)
        USING NEW._path, OLD._path, NEW._sort, OLD._sort, NEW._depth - OLD._depth, NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_tree(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER place_node BEFORE INSERT ON %s
        FOR EACH ROW EXECUTE FUNCTION place_tree_node()', target);
    EXECUTE format('CREATE TRIGGER replace_node BEFORE UPDATE OF name, parent_id ON %s
        FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.parent_id IS DISTINCT FROM NEW.parent_id)
        EXECUTE FUNCTION place_tree_node()', target);
    EXECUTE format('CREATE TRIGGER move_descendants AFTER UPDATE OF name, parent_id ON %s
        FOR EACH ROW WHEN (OLD._path IS DISTINCT FROM NEW._path OR OLD._sort IS DISTINCT FROM NEW._sort)
        EXECUTE FUNCTION move_tree_descendants()', target);
END $$;

-- users ------------------------------------------------------------------------------------------------

CREATE TABLE users_user (
    id BIGSERIAL PRIMARY KEY,
    username VARCHAR(150) NOT NULL,
    password VARCHAR(255) NOT NULL,
    first_name VARCHAR(150) NOT NULL DEFAULT '',
    last_name VARCHAR(150) NOT NULL DEFAULT '',
    email VARCHAR(254) NOT NULL DEFAULT '',
    is_active BOOLEAN NOT NULL DEFAULT true,
    is_superuser BOOLEAN NOT NULL DEFAULT false,
    date_joined TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    last_login TIMESTAMPTZ(6)
);
CREATE UNIQUE INDEX users_user_username_key ON users_user (username);
SELECT keep_row_count('users_user', 'users.user');

-- Only digests are kept: a token's secret is shown once, in the answer that creates it (contract 1.2).
CREATE TABLE users_token (
    id BIGSERIAL PRIMARY KEY,
    version SMALLINT NOT NULL DEFAULT 2,
    key VARCHAR(12),
    hint VARCHAR(6) NOT NULL DEFAULT '',
    digest VARCHAR(128) NOT NULL,
    pepper_id INTEGER NOT NULL,
    user_id BIGINT NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    expires TIMESTAMPTZ(6),
    last_used TIMESTAMPTZ(6),
    enabled BOOLEAN NOT NULL DEFAULT true,
    write_enabled BOOLEAN NOT NULL DEFAULT true,
    allowed_ips JSONB NOT NULL DEFAULT '[]',
    CONSTRAINT users_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT users_token_version_check CHECK ((version = 1 AND key IS NULL) OR (version = 2 AND key IS NOT NULL))
);
CREATE UNIQUE INDEX users_token_key_key ON users_token (key);
CREATE UNIQUE INDEX users_token_digest_key ON users_token (digest);
CREATE INDEX users_token_user_id_idx ON users_token (user_id);
CREATE INDEX users_token_created_id_idx ON users_token (created DESC, id);
SELECT keep_row_count('users_token', 'users.token');

-- extras -----------------------------------------------------------------------------------------------

CREATE TABLE extras_tag (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    color VARCHAR(6) NOT NULL DEFAULT '9e9e9e',
    description VARCHAR(200) NOT NULL DEFAULT '',
    weight INTEGER NOT NULL DEFAULT 1000,
    object_types TEXT[] NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX extras_tag_name_key ON extras_tag (name);
CREATE UNIQUE INDEX extras_tag_slug_key ON extras_tag (slug);
CREATE INDEX extras_tag_weight_name_idx ON extras_tag (weight, name);
SELECT keep_row_count('extras_tag', 'extras.tag');

CREATE TABLE extras_taggeditem (
    object_type VARCHAR(100) NOT NULL,
    object_id BIGINT NOT NULL,
    tag_id BIGINT NOT NULL,
    CONSTRAINT extras_taggeditem_pkey PRIMARY KEY (object_type, object_id, tag_id),
    CONSTRAINT extras_taggeditem_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES extras_tag (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_taggeditem_tag_id_object_type_idx ON extras_taggeditem (tag_id, object_type);

CREATE TABLE extras_webhook (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(150) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    payload_url VARCHAR(500) NOT NULL,
    http_method VARCHAR(30) NOT NULL DEFAULT 'POST',
    http_content_type VARCHAR(100) NOT NULL DEFAULT 'application/json',
    additional_headers TEXT NOT NULL DEFAULT '',
    body_template TEXT NOT NULL DEFAULT '',
    -- Sealed (AES-256-GCM, "v1.<key id>.…") or empty. Never leaves the service.
    secret TEXT NOT NULL DEFAULT '',
    ssl_verification BOOLEAN NOT NULL DEFAULT true,
    ca_file_path VARCHAR(4096),
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX extras_webhook_name_key ON extras_webhook (name);
SELECT keep_row_count('extras_webhook', 'extras.webhook');

CREATE TABLE extras_eventrule (
    id BIGSERIAL PRIMARY KEY,
    object_types TEXT[] NOT NULL DEFAULT '{}',
    name VARCHAR(150) NOT NULL,
    enabled BOOLEAN NOT NULL DEFAULT true,
    event_types TEXT[] NOT NULL DEFAULT '{}',
    conditions JSONB,
    action_type VARCHAR(30) NOT NULL DEFAULT 'webhook',
    action_object_type VARCHAR(100) NOT NULL,
    action_object_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX extras_eventrule_name_key ON extras_eventrule (name);
CREATE INDEX extras_eventrule_action_object_type_action_object_id_idx ON extras_eventrule (action_object_type, action_object_id);
CREATE INDEX extras_eventrule_object_types_idx ON extras_eventrule USING gin (object_types);
SELECT keep_row_count('extras_eventrule', 'extras.eventrule');

-- A delivery is a row from the moment its rule matched; the job in Redis only makes it move.
CREATE TABLE webhook_deliveries (
    id UUID NOT NULL DEFAULT gen_random_uuid(),
    -- Order of creation, and so the order of delivery per object.
    sequence BIGSERIAL NOT NULL,
    event_rule_id BIGINT,
    webhook_id BIGINT,
    event VARCHAR(30) NOT NULL,
    object_type VARCHAR(100) NOT NULL,
    object_id BIGINT NOT NULL,
    request_id UUID,
    status VARCHAR(10) NOT NULL DEFAULT 'queued',
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ(6) DEFAULT now(),
    -- The keys of inventory.md section 6: event, timestamp, object_type, username, request_id, data, snapshots; and request.
    -- json and not jsonb: receivers get the keys in the order in which the API shows them.
    payload JSON NOT NULL,
    -- The exact text that was signed and sent last.
    body TEXT,
    response_status INTEGER,
    response_body TEXT,
    error TEXT,
    duration_ms INTEGER,
    created TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    last_attempt_at TIMESTAMPTZ(6),
    finished TIMESTAMPTZ(6),
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_deliveries_status_check CHECK (status IN ('queued', 'succeeded', 'failed')),
    CONSTRAINT webhook_deliveries_event_rule_id_fkey FOREIGN KEY (event_rule_id) REFERENCES extras_eventrule (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES extras_webhook (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX webhook_deliveries_sequence_key ON webhook_deliveries (sequence);
CREATE INDEX webhook_deliveries_status_next_attempt_at_idx ON webhook_deliveries (status, next_attempt_at);
CREATE INDEX webhook_deliveries_webhook_id_object_type_object_id_status__idx ON webhook_deliveries (webhook_id, object_type, object_id, status, sequence);
CREATE INDEX webhook_deliveries_event_rule_id_idx ON webhook_deliveries (event_rule_id);

-- tenancy ----------------------------------------------------------------------------------------------

CREATE TABLE tenancy_tenantgroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    parent_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT tenancy_tenantgroup_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES tenancy_tenantgroup (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX tenancy_tenantgroup_name_key ON tenancy_tenantgroup (name);
CREATE UNIQUE INDEX tenancy_tenantgroup_slug_key ON tenancy_tenantgroup (slug);
CREATE INDEX tenancy_tenantgroup_parent_id_idx ON tenancy_tenantgroup (parent_id);
CREATE INDEX tenancy_tenantgroup__path_idx ON tenancy_tenantgroup USING gin (_path);
CREATE INDEX tenancy_tenantgroup__sort_id_idx ON tenancy_tenantgroup (_sort, id);
SELECT keep_row_count('tenancy_tenantgroup', 'tenancy.tenantgroup'), keep_tree('tenancy_tenantgroup');

CREATE TABLE tenancy_tenant (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    group_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT tenancy_tenant_group_id_fkey FOREIGN KEY (group_id) REFERENCES tenancy_tenantgroup (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX tenancy_tenant_group_id_name_key ON tenancy_tenant (group_id, name);
CREATE UNIQUE INDEX tenancy_tenant_group_id_slug_key ON tenancy_tenant (group_id, slug);
CREATE UNIQUE INDEX tenancy_tenant_unique_name ON tenancy_tenant (name) WHERE group_id IS NULL;
CREATE UNIQUE INDEX tenancy_tenant_unique_slug ON tenancy_tenant (slug) WHERE group_id IS NULL;
CREATE INDEX tenancy_tenant_name_id_idx ON tenancy_tenant (name, id);
CREATE INDEX tenancy_tenant_slug_idx ON tenancy_tenant (slug);
SELECT keep_row_count('tenancy_tenant', 'tenancy.tenant');

-- dcim -------------------------------------------------------------------------------------------------

CREATE TABLE dcim_region (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    parent_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT dcim_region_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_region (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_region_parent_id_name_key ON dcim_region (parent_id, name);
CREATE UNIQUE INDEX dcim_region_parent_id_slug_key ON dcim_region (parent_id, slug);
CREATE UNIQUE INDEX dcim_region_name ON dcim_region (name) WHERE parent_id IS NULL;
CREATE UNIQUE INDEX dcim_region_slug ON dcim_region (slug) WHERE parent_id IS NULL;
CREATE INDEX dcim_region__path_idx ON dcim_region USING gin (_path);
CREATE INDEX dcim_region__sort_id_idx ON dcim_region (_sort, id);
SELECT keep_row_count('dcim_region', 'dcim.region'), keep_tree('dcim_region');

CREATE TABLE dcim_sitegroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    parent_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    _path BIGINT[] NOT NULL DEFAULT '{}',
    _sort TEXT[] COLLATE natural_sort NOT NULL DEFAULT '{}',
    CONSTRAINT dcim_sitegroup_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES dcim_sitegroup (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_sitegroup_parent_id_name_key ON dcim_sitegroup (parent_id, name);
CREATE UNIQUE INDEX dcim_sitegroup_parent_id_slug_key ON dcim_sitegroup (parent_id, slug);
CREATE UNIQUE INDEX dcim_sitegroup_name ON dcim_sitegroup (name) WHERE parent_id IS NULL;
CREATE UNIQUE INDEX dcim_sitegroup_slug ON dcim_sitegroup (slug) WHERE parent_id IS NULL;
CREATE INDEX dcim_sitegroup__path_idx ON dcim_sitegroup USING gin (_path);
CREATE INDEX dcim_sitegroup__sort_id_idx ON dcim_sitegroup (_sort, id);
SELECT keep_row_count('dcim_sitegroup', 'dcim.sitegroup'), keep_tree('dcim_sitegroup');

CREATE TABLE dcim_site (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    slug VARCHAR(100) NOT NULL,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    region_id BIGINT,
    group_id BIGINT,
    tenant_id BIGINT,
    facility VARCHAR(50) NOT NULL DEFAULT '',
    time_zone VARCHAR(63),
    description VARCHAR(200) NOT NULL DEFAULT '',
    physical_address VARCHAR(200) NOT NULL DEFAULT '',
    shipping_address VARCHAR(200) NOT NULL DEFAULT '',
    latitude DECIMAL(8, 6),
    longitude DECIMAL(9, 6),
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT dcim_site_region_id_fkey FOREIGN KEY (region_id) REFERENCES dcim_region (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_site_group_id_fkey FOREIGN KEY (group_id) REFERENCES dcim_sitegroup (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT dcim_site_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX dcim_site_name_key ON dcim_site (name);
CREATE UNIQUE INDEX dcim_site_slug_key ON dcim_site (slug);
CREATE INDEX dcim_site_region_id_idx ON dcim_site (region_id);
CREATE INDEX dcim_site_group_id_idx ON dcim_site (group_id);
CREATE INDEX dcim_site_tenant_id_idx ON dcim_site (tenant_id);
SELECT keep_row_count('dcim_site', 'dcim.site');

-- ipam -------------------------------------------------------------------------------------------------

CREATE TABLE ipam_vrf (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) COLLATE natural_sort NOT NULL,
    rd VARCHAR(21),
    tenant_id BIGINT,
    enforce_unique BOOLEAN NOT NULL DEFAULT true,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_vrf_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX ipam_vrf_rd_key ON ipam_vrf (rd);
CREATE INDEX ipam_vrf_name_rd_id_idx ON ipam_vrf (name, rd, id);
CREATE INDEX ipam_vrf_tenant_id_idx ON ipam_vrf (tenant_id);
SELECT keep_row_count('ipam_vrf', 'ipam.vrf');

CREATE TABLE ipam_role (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    weight INTEGER NOT NULL DEFAULT 1000,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX ipam_role_name_key ON ipam_role (name);
CREATE UNIQUE INDEX ipam_role_slug_key ON ipam_role (slug);
CREATE INDEX ipam_role_weight_name_idx ON ipam_role (weight, name);
SELECT keep_row_count('ipam_role', 'ipam.role');

CREATE TABLE ipam_prefix (
    id BIGSERIAL PRIMARY KEY,
    prefix CIDR NOT NULL,
    vrf_id BIGINT,
    scope_type VARCHAR(100),
    scope_id BIGINT,
    tenant_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    role_id BIGINT,
    is_pool BOOLEAN NOT NULL DEFAULT false,
    mark_utilized BOOLEAN NOT NULL DEFAULT false,
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    _depth INTEGER NOT NULL DEFAULT 0,
    -- How many prefixes this one covered when it was last placed; ipam_prefix_children holds what changed since.
    _children BIGINT NOT NULL DEFAULT 0,
    CONSTRAINT ipam_prefix_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_prefix_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_prefix_role_id_fkey FOREIGN KEY (role_id) REFERENCES ipam_role (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT ipam_prefix_scope_check CHECK ((scope_type IS NULL) = (scope_id IS NULL))
);
-- An expression, because Prisma cannot describe an operator class on cidr and would report it as drift.
CREATE INDEX ipam_prefix_prefix_idx ON ipam_prefix USING gist ((prefix::inet) inet_ops);
CREATE INDEX ipam_prefix_order_idx ON ipam_prefix (vrf_id NULLS FIRST, prefix, id);
CREATE INDEX ipam_prefix_tenant_id_idx ON ipam_prefix (tenant_id);
CREATE INDEX ipam_prefix_role_id_idx ON ipam_prefix (role_id);
CREATE INDEX ipam_prefix_scope_type_scope_id_idx ON ipam_prefix (scope_type, scope_id);
SELECT keep_row_count('ipam_prefix', 'ipam.prefix');

-- Changes to a prefix's number of covered prefixes, one row per backend slot: siblings created at once
-- do not wait for the row of the prefix above them.
CREATE TABLE ipam_prefix_children (
    prefix_id BIGINT NOT NULL,
    slot INTEGER NOT NULL,
    n BIGINT NOT NULL,
    CONSTRAINT ipam_prefix_children_pkey PRIMARY KEY (prefix_id, slot),
    CONSTRAINT ipam_prefix_children_prefix_id_fkey FOREIGN KEY (prefix_id) REFERENCES ipam_prefix (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE TABLE ipam_ipaddress (
    id BIGSERIAL PRIMARY KEY,
    address INET NOT NULL,
    vrf_id BIGINT,
    tenant_id BIGINT,
    status VARCHAR(50) NOT NULL DEFAULT 'active',
    role VARCHAR(50),
    assigned_object_type VARCHAR(100),
    assigned_object_id BIGINT,
    nat_inside_id BIGINT,
    dns_name VARCHAR(255) NOT NULL DEFAULT '',
    description VARCHAR(200) NOT NULL DEFAULT '',
    comments TEXT NOT NULL DEFAULT '',
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT ipam_ipaddress_vrf_id_fkey FOREIGN KEY (vrf_id) REFERENCES ipam_vrf (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_ipaddress_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT ipam_ipaddress_nat_inside_id_fkey FOREIGN KEY (nat_inside_id) REFERENCES ipam_ipaddress (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX ipam_ipaddress_address_idx ON ipam_ipaddress USING gist (address inet_ops);
-- Addresses are listed by host, then mask (contract 1.7).
CREATE INDEX ipam_ipaddress_order_idx ON ipam_ipaddress ((host(address)::inet), (masklen(address)), id);
CREATE INDEX ipam_ipaddress_vrf_id_idx ON ipam_ipaddress (vrf_id);
CREATE INDEX ipam_ipaddress_tenant_id_idx ON ipam_ipaddress (tenant_id);
CREATE INDEX ipam_ipaddress_nat_inside_id_idx ON ipam_ipaddress (nat_inside_id);
CREATE INDEX ipam_ipaddress_assigned_object_type_assigned_object_id_idx ON ipam_ipaddress (assigned_object_type, assigned_object_id);
SELECT keep_row_count('ipam_ipaddress', 'ipam.ipaddress');
