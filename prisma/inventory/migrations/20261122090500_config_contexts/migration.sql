-- What config contexts give to devices and virtual machines (contract 2.4).

ALTER TABLE extras_configcontext ADD CONSTRAINT extras_configcontext_data_check CHECK (jsonb_typeof(data) = 'object');
ALTER TABLE dcim_device ADD CONSTRAINT dcim_device_local_context_data_check
    CHECK (jsonb_typeof(local_context_data) = 'object');
ALTER TABLE virtualization_virtualmachine ADD CONSTRAINT virtualization_virtualmachine_local_context_data_check
    CHECK (jsonb_typeof(local_context_data) = 'object');

-- What a context is for, beside it: to choose among the contexts for a page of devices, one look at each is enough.
ALTER TABLE extras_configcontext
    ADD COLUMN _regions BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _site_groups BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _sites BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _locations BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _device_types BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _roles BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _platforms BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _cluster_types BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _cluster_groups BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _clusters BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _tenant_groups BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _tenants BIGINT[] NOT NULL DEFAULT '{}',
    ADD COLUMN _tags BIGINT[] NOT NULL DEFAULT '{}';

-- Arguments: the list, and the column that holds its ids in the table of pairs.
CREATE FUNCTION extras_note_context_criteria() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE extras_configcontext c
        SET _%1$s = ARRAY(SELECT p.%2$I FROM extras_configcontext_%1$s p WHERE p.configcontext_id = c.id ORDER BY 1)
        WHERE c.id IN (SELECT configcontext_id FROM changed)', TG_ARGV[0], TG_ARGV[1]);
    RETURN NULL;
END $$;

CREATE FUNCTION extras_keep_context_criteria(list TEXT, target TEXT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TRIGGER note_added AFTER INSERT ON extras_configcontext_%1$s REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION extras_note_context_criteria(%1$L, %2$L)', list, target);
    EXECUTE format('CREATE TRIGGER note_removed AFTER DELETE ON extras_configcontext_%1$s REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION extras_note_context_criteria(%1$L, %2$L)', list, target);
END $$;
SELECT extras_keep_context_criteria(list, target) FROM (VALUES
    ('regions', 'region_id'), ('site_groups', 'sitegroup_id'), ('sites', 'site_id'), ('locations', 'location_id'),
    ('device_types', 'devicetype_id'), ('roles', 'devicerole_id'), ('platforms', 'platform_id'),
    ('cluster_types', 'clustertype_id'), ('cluster_groups', 'clustergroup_id'), ('clusters', 'cluster_id'),
    ('tenant_groups', 'tenantgroup_id'), ('tenants', 'tenant_id'), ('tags', 'tag_id')) AS lists (list, target);

-- The newer object over the older one: what both have as objects is merged in turn, all else is the newer one's. An
-- empty object is a value as any other. No request nests deeper than 100 levels; below that the newer value
-- would count whole, for the stack has an end.
CREATE FUNCTION extras_merge_objects(older JSONB, newer JSONB, levels INTEGER) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN older || coalesce((SELECT jsonb_object_agg(key, CASE
            WHEN levels > 0 AND jsonb_typeof(older -> key) = 'object' AND jsonb_typeof(value) = 'object' AND value <> '{}'
                THEN extras_merge_objects(older -> key, value, levels - 1)
            ELSE value END)
        FROM jsonb_each(newer)), '{}');
END $$;
CREATE FUNCTION extras_merge_step(older JSONB, newer JSONB) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN older = '{}' THEN newer ELSE extras_merge_objects(older, newer, 100) END
$$;
CREATE AGGREGATE extras_merged (jsonb) (SFUNC = extras_merge_step, STYPE = jsonb, INITCOND = '{}', PARALLEL = SAFE);

-- The contexts that apply to an object, in the order of weight and name, and its own data over them. A list that is
-- empty asks for nothing. Of trees a node stands for those below it; other lists mean the very objects in them. What an
-- object does not have (a virtual machine: location and device type) is in no list.
CREATE FUNCTION extras_config_context(
    object_type TEXT, object_id BIGINT, site BIGINT, location BIGINT, device_type BIGINT, role BIGINT, platform BIGINT,
    cluster BIGINT, tenant BIGINT, local_data JSONB
) RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    regions BIGINT[];
    site_groups BIGINT[];
    locations BIGINT[];
    roles BIGINT[];
    platforms BIGINT[];
    cluster_type BIGINT;
    cluster_group BIGINT;
    tenant_group BIGINT;
    tags BIGINT[];
    merged JSONB;
BEGIN
    SELECT r._path, g._path, l._path, o._path, p._path, c.type_id, c.group_id, t.group_id,
            ARRAY(SELECT i.tag_id FROM extras_taggeditem i
                WHERE i.object_type = extras_config_context.object_type AND i.object_id = extras_config_context.object_id)
        INTO regions, site_groups, locations, roles, platforms, cluster_type, cluster_group, tenant_group, tags
        FROM (VALUES (site)) AS given (site_id)
        LEFT JOIN dcim_site s ON s.id = given.site_id
        LEFT JOIN dcim_region r ON r.id = s.region_id
        LEFT JOIN dcim_sitegroup g ON g.id = s.group_id
        LEFT JOIN dcim_location l ON l.id = location
        LEFT JOIN dcim_devicerole o ON o.id = role
        LEFT JOIN dcim_platform p ON p.id = platform
        LEFT JOIN virtualization_cluster c ON c.id = cluster
        LEFT JOIN tenancy_tenant t ON t.id = tenant;
    SELECT extras_merged(c.data ORDER BY c.weight, c.name) INTO merged FROM extras_configcontext c
        WHERE c.is_active
            AND (c._regions = '{}' OR c._regions && regions)
            AND (c._site_groups = '{}' OR c._site_groups && site_groups)
            AND (c._sites = '{}' OR site = ANY (c._sites))
            AND (c._locations = '{}' OR c._locations && locations)
            AND (c._device_types = '{}' OR device_type = ANY (c._device_types))
            AND (c._roles = '{}' OR c._roles && roles)
            AND (c._platforms = '{}' OR c._platforms && platforms)
            AND (c._cluster_types = '{}' OR cluster_type = ANY (c._cluster_types))
            AND (c._cluster_groups = '{}' OR cluster_group = ANY (c._cluster_groups))
            AND (c._clusters = '{}' OR cluster = ANY (c._clusters))
            AND (c._tenant_groups = '{}' OR tenant_group = ANY (c._tenant_groups))
            AND (c._tenants = '{}' OR tenant = ANY (c._tenants))
            AND (c._tags = '{}' OR c._tags && tags);
    RETURN extras_merge_step(merged, coalesce(local_data, '{}'));
END $$;
