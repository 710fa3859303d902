-- Templates, contexts, saved views, and what people note on objects.

CREATE TABLE extras_configtemplate (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    environment_params JSONB DEFAULT '{}',
    template_code TEXT NOT NULL,
    mime_type VARCHAR(50) NOT NULL DEFAULT '',
    file_name VARCHAR(200) NOT NULL DEFAULT '',
    file_extension VARCHAR(15) NOT NULL DEFAULT '',
    as_attachment BOOLEAN NOT NULL DEFAULT true,
    debug BOOLEAN NOT NULL DEFAULT false,
    data_source_id BIGINT,
    data_path VARCHAR(1000) NOT NULL DEFAULT '',
    data_file_id BIGINT,
    auto_sync_enabled BOOLEAN NOT NULL DEFAULT false,
    data_synced TIMESTAMPTZ(6),
    owner_id BIGINT,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_configtemplate_data_source_id_fkey FOREIGN KEY (data_source_id) REFERENCES core_datasource (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT extras_configtemplate_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT extras_configtemplate_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX extras_configtemplate_name_idx ON extras_configtemplate (name);
CREATE INDEX extras_configtemplate_data_source_id_idx ON extras_configtemplate (data_source_id);
CREATE INDEX extras_configtemplate_data_file_id_idx ON extras_configtemplate (data_file_id);
CREATE INDEX extras_configtemplate_owner_id_idx ON extras_configtemplate (owner_id);
SELECT keep_row_count('extras_configtemplate', 'extras.configtemplate');

CREATE TABLE extras_configcontextprofile (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    schema JSONB,
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    data_source_id BIGINT,
    data_path VARCHAR(1000) NOT NULL DEFAULT '',
    data_file_id BIGINT,
    data_synced TIMESTAMPTZ(6),
    auto_sync_enabled BOOLEAN NOT NULL DEFAULT false,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_configcontextprofile_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT extras_configcontextprofile_data_source_id_fkey FOREIGN KEY (data_source_id) REFERENCES core_datasource (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT extras_configcontextprofile_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_configcontextprofile_name_key ON extras_configcontextprofile (name);
CREATE INDEX extras_configcontextprofile_owner_id_idx ON extras_configcontextprofile (owner_id);
CREATE INDEX extras_configcontextprofile_data_source_id_idx ON extras_configcontextprofile (data_source_id);
CREATE INDEX extras_configcontextprofile_data_file_id_idx ON extras_configcontextprofile (data_file_id);
SELECT keep_row_count('extras_configcontextprofile', 'extras.configcontextprofile');

CREATE TABLE extras_configcontext (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    weight SMALLINT NOT NULL DEFAULT 1000,
    profile_id BIGINT,
    description VARCHAR(200) NOT NULL DEFAULT '',
    is_active BOOLEAN NOT NULL DEFAULT true,
    owner_id BIGINT,
    data_source_id BIGINT,
    data_path VARCHAR(1000) NOT NULL DEFAULT '',
    data_file_id BIGINT,
    data_synced TIMESTAMPTZ(6),
    data JSONB NOT NULL,
    auto_sync_enabled BOOLEAN NOT NULL DEFAULT false,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_configcontext_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES extras_configcontextprofile (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_data_source_id_fkey FOREIGN KEY (data_source_id) REFERENCES core_datasource (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_configcontext_name_key ON extras_configcontext (name);
CREATE INDEX extras_configcontext_weight_name_idx ON extras_configcontext (weight, name);
CREATE INDEX extras_configcontext_profile_id_idx ON extras_configcontext (profile_id);
CREATE INDEX extras_configcontext_owner_id_idx ON extras_configcontext (owner_id);
CREATE INDEX extras_configcontext_data_source_id_idx ON extras_configcontext (data_source_id);
CREATE INDEX extras_configcontext_data_file_id_idx ON extras_configcontext (data_file_id);
SELECT keep_row_count('extras_configcontext', 'extras.configcontext');

CREATE TABLE extras_customlink (
    id BIGSERIAL PRIMARY KEY,
    object_types TEXT[] NOT NULL DEFAULT '{}',
    name VARCHAR(100) NOT NULL,
    enabled BOOLEAN NOT NULL DEFAULT true,
    link_text TEXT NOT NULL,
    link_url TEXT NOT NULL,
    weight SMALLINT NOT NULL DEFAULT 100,
    group_name VARCHAR(50) NOT NULL DEFAULT '',
    button_class VARCHAR(30) NOT NULL DEFAULT 'default',
    new_window BOOLEAN NOT NULL DEFAULT false,
    owner_id BIGINT,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_customlink_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_customlink_name_key ON extras_customlink (name);
CREATE INDEX extras_customlink_group_name_weight_name_idx ON extras_customlink (group_name, weight, name);
CREATE INDEX extras_customlink_owner_id_idx ON extras_customlink (owner_id);
CREATE INDEX extras_customlink_object_types_idx ON extras_customlink USING gin (object_types);
SELECT keep_row_count('extras_customlink', 'extras.customlink');

CREATE TABLE extras_exporttemplate (
    id BIGSERIAL PRIMARY KEY,
    object_types TEXT[] NOT NULL DEFAULT '{}',
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    environment_params JSONB DEFAULT '{}',
    template_code TEXT NOT NULL,
    mime_type VARCHAR(50) NOT NULL DEFAULT '',
    file_name VARCHAR(200) NOT NULL DEFAULT '',
    file_extension VARCHAR(15) NOT NULL DEFAULT '',
    as_attachment BOOLEAN NOT NULL DEFAULT true,
    data_source_id BIGINT,
    data_path VARCHAR(1000) NOT NULL DEFAULT '',
    data_file_id BIGINT,
    data_synced TIMESTAMPTZ(6),
    owner_id BIGINT,
    auto_sync_enabled BOOLEAN NOT NULL DEFAULT false,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_exporttemplate_data_source_id_fkey FOREIGN KEY (data_source_id) REFERENCES core_datasource (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT extras_exporttemplate_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT extras_exporttemplate_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX extras_exporttemplate_name_idx ON extras_exporttemplate (name);
CREATE INDEX extras_exporttemplate_data_source_id_idx ON extras_exporttemplate (data_source_id);
CREATE INDEX extras_exporttemplate_data_file_id_idx ON extras_exporttemplate (data_file_id);
CREATE INDEX extras_exporttemplate_owner_id_idx ON extras_exporttemplate (owner_id);
CREATE INDEX extras_exporttemplate_object_types_idx ON extras_exporttemplate USING gin (object_types);
SELECT keep_row_count('extras_exporttemplate', 'extras.exporttemplate');

CREATE TABLE extras_savedfilter (
    id BIGSERIAL PRIMARY KEY,
    object_types TEXT[] NOT NULL DEFAULT '{}',
    name VARCHAR(100) NOT NULL,
    slug VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    user_id BIGINT,
    weight SMALLINT NOT NULL DEFAULT 100,
    enabled BOOLEAN NOT NULL DEFAULT true,
    shared BOOLEAN NOT NULL DEFAULT true,
    parameters JSONB NOT NULL,
    owner_id BIGINT,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_savedfilter_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT extras_savedfilter_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_savedfilter_name_key ON extras_savedfilter (name);
CREATE UNIQUE INDEX extras_savedfilter_slug_key ON extras_savedfilter (slug);
CREATE INDEX extras_savedfilter_weight_name_idx ON extras_savedfilter (weight, name);
CREATE INDEX extras_savedfilter_user_id_idx ON extras_savedfilter (user_id);
CREATE INDEX extras_savedfilter_owner_id_idx ON extras_savedfilter (owner_id);
CREATE INDEX extras_savedfilter_object_types_idx ON extras_savedfilter USING gin (object_types);
SELECT keep_row_count('extras_savedfilter', 'extras.savedfilter');

CREATE TABLE extras_tableconfig (
    id BIGSERIAL PRIMARY KEY,
    object_type VARCHAR(100) NOT NULL,
    "table" VARCHAR(100) NOT NULL,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    user_id BIGINT,
    weight SMALLINT NOT NULL DEFAULT 1000,
    enabled BOOLEAN NOT NULL DEFAULT true,
    shared BOOLEAN NOT NULL DEFAULT true,
    columns TEXT[] NOT NULL,
    ordering TEXT[],
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_tableconfig_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX extras_tableconfig_weight_name_idx ON extras_tableconfig (weight, name);
CREATE INDEX extras_tableconfig_user_id_idx ON extras_tableconfig (user_id);
SELECT keep_row_count('extras_tableconfig', 'extras.tableconfig');

CREATE TABLE extras_bookmark (
    id BIGSERIAL PRIMARY KEY,
    object_type VARCHAR(100) NOT NULL,
    object_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    created TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    CONSTRAINT extras_bookmark_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_bookmark_object_type_object_id_user_id_key ON extras_bookmark (object_type, object_id, user_id);
CREATE INDEX extras_bookmark_created_id_idx ON extras_bookmark (created, id);
CREATE INDEX extras_bookmark_user_id_idx ON extras_bookmark (user_id);
SELECT keep_row_count('extras_bookmark', 'extras.bookmark');

CREATE TABLE extras_notification (
    id BIGSERIAL PRIMARY KEY,
    object_type VARCHAR(100) NOT NULL,
    object_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    read TIMESTAMPTZ(6),
    event_type VARCHAR(50) NOT NULL,
    object_repr VARCHAR(200) NOT NULL,
    created TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    CONSTRAINT extras_notification_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_notification_object_type_object_id_user_id_key ON extras_notification (object_type, object_id, user_id);
CREATE INDEX extras_notification_created_id_idx ON extras_notification (created DESC, id);
CREATE INDEX extras_notification_user_id_idx ON extras_notification (user_id);
SELECT keep_row_count('extras_notification', 'extras.notification');

CREATE TABLE extras_notificationgroup (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE UNIQUE INDEX extras_notificationgroup_name_key ON extras_notificationgroup (name);
SELECT keep_row_count('extras_notificationgroup', 'extras.notificationgroup');

CREATE TABLE extras_subscription (
    id BIGSERIAL PRIMARY KEY,
    object_type VARCHAR(100) NOT NULL,
    object_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    created TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    CONSTRAINT extras_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_subscription_object_type_object_id_user_id_key ON extras_subscription (object_type, object_id, user_id);
CREATE INDEX extras_subscription_created_user_id_idx ON extras_subscription (created DESC, user_id);
CREATE INDEX extras_subscription_user_id_idx ON extras_subscription (user_id);
SELECT keep_row_count('extras_subscription', 'extras.subscription');

CREATE TABLE extras_imageattachment (
    id BIGSERIAL PRIMARY KEY,
    object_type VARCHAR(100) NOT NULL,
    object_id BIGINT NOT NULL,
    name VARCHAR(50) NOT NULL DEFAULT '',
    image VARCHAR(100) NOT NULL,
    description VARCHAR(200) NOT NULL DEFAULT '',
    image_height SMALLINT NOT NULL,
    image_width SMALLINT NOT NULL,
    image_size BIGINT,
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now()
);
CREATE INDEX extras_imageattachment_name_id_idx ON extras_imageattachment (name, id);
CREATE INDEX extras_imageattachment_object_type_object_id_idx ON extras_imageattachment (object_type, object_id);
SELECT keep_row_count('extras_imageattachment', 'extras.imageattachment');

CREATE TABLE extras_journalentry (
    id BIGSERIAL PRIMARY KEY,
    assigned_object_type VARCHAR(100) NOT NULL,
    assigned_object_id BIGINT NOT NULL,
    created_by_id BIGINT,
    kind VARCHAR(30) NOT NULL DEFAULT 'info',
    comments TEXT NOT NULL,
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_journalentry_created_by_id_fkey FOREIGN KEY (created_by_id) REFERENCES users_user (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX extras_journalentry_created_idx ON extras_journalentry (created DESC);
CREATE INDEX extras_journalentry_assigned_object_type_assigned_object_id_idx ON extras_journalentry (assigned_object_type, assigned_object_id);
CREATE INDEX extras_journalentry_created_by_id_idx ON extras_journalentry (created_by_id);
SELECT keep_row_count('extras_journalentry', 'extras.journalentry');

CREATE TABLE extras_scriptmodule (
    id BIGSERIAL PRIMARY KEY,
    file_path VARCHAR(100) NOT NULL DEFAULT '',
    data_source_id BIGINT,
    data_file_id BIGINT,
    data_path VARCHAR(1000) NOT NULL DEFAULT '',
    auto_sync_enabled BOOLEAN NOT NULL DEFAULT false,
    data_synced TIMESTAMPTZ(6),
    file_root VARCHAR(1000) NOT NULL,
    created TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT extras_scriptmodule_data_source_id_fkey FOREIGN KEY (data_source_id) REFERENCES core_datasource (id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT extras_scriptmodule_data_file_id_fkey FOREIGN KEY (data_file_id) REFERENCES core_datafile (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX extras_scriptmodule_file_root_file_path_id_idx ON extras_scriptmodule (file_root, file_path, id);
CREATE INDEX extras_scriptmodule_data_source_id_idx ON extras_scriptmodule (data_source_id);
CREATE INDEX extras_scriptmodule_data_file_id_idx ON extras_scriptmodule (data_file_id);
SELECT keep_row_count('extras_scriptmodule', 'extras.scriptmodule');

CREATE TABLE extras_script (
    id BIGSERIAL PRIMARY KEY,
    module_id BIGINT NOT NULL,
    name VARCHAR(79) NOT NULL DEFAULT '',
    is_executable BOOLEAN NOT NULL DEFAULT true,
    CONSTRAINT extras_script_module_id_fkey FOREIGN KEY (module_id) REFERENCES extras_scriptmodule (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_script_name_module_id_key ON extras_script (name, module_id);
CREATE INDEX extras_script_module_id_name_idx ON extras_script (module_id, name);
SELECT keep_row_count('extras_script', 'extras.script');

CREATE TABLE extras_notificationgroup_groups (
    notificationgroup_id BIGINT NOT NULL,
    group_id BIGINT NOT NULL,
    CONSTRAINT extras_notificationgroup_groups_pkey PRIMARY KEY (notificationgroup_id, group_id),
    CONSTRAINT extras_notificationgroup_groups_notificationgroup_id_fkey FOREIGN KEY (notificationgroup_id) REFERENCES extras_notificationgroup (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_notificationgroup_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES users_group (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_notificationgroup_groups_group_id_idx ON extras_notificationgroup_groups (group_id);

CREATE TABLE extras_notificationgroup_users (
    notificationgroup_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    CONSTRAINT extras_notificationgroup_users_pkey PRIMARY KEY (notificationgroup_id, user_id),
    CONSTRAINT extras_notificationgroup_users_notificationgroup_id_fkey FOREIGN KEY (notificationgroup_id) REFERENCES extras_notificationgroup (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_notificationgroup_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_notificationgroup_users_user_id_idx ON extras_notificationgroup_users (user_id);

CREATE TABLE extras_configcontext_regions (
    configcontext_id BIGINT NOT NULL,
    region_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_regions_pkey PRIMARY KEY (configcontext_id, region_id),
    CONSTRAINT extras_configcontext_regions_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_regions_region_id_fkey FOREIGN KEY (region_id) REFERENCES dcim_region (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_regions_region_id_idx ON extras_configcontext_regions (region_id);

CREATE TABLE extras_configcontext_site_groups (
    configcontext_id BIGINT NOT NULL,
    sitegroup_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_site_groups_pkey PRIMARY KEY (configcontext_id, sitegroup_id),
    CONSTRAINT extras_configcontext_site_groups_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_site_groups_sitegroup_id_fkey FOREIGN KEY (sitegroup_id) REFERENCES dcim_sitegroup (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_site_groups_sitegroup_id_idx ON extras_configcontext_site_groups (sitegroup_id);

CREATE TABLE extras_configcontext_sites (
    configcontext_id BIGINT NOT NULL,
    site_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_sites_pkey PRIMARY KEY (configcontext_id, site_id),
    CONSTRAINT extras_configcontext_sites_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_sites_site_id_fkey FOREIGN KEY (site_id) REFERENCES dcim_site (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_sites_site_id_idx ON extras_configcontext_sites (site_id);

CREATE TABLE extras_configcontext_tenant_groups (
    configcontext_id BIGINT NOT NULL,
    tenantgroup_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_tenant_groups_pkey PRIMARY KEY (configcontext_id, tenantgroup_id),
    CONSTRAINT extras_configcontext_tenant_groups_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_tenant_groups_tenantgroup_id_fkey FOREIGN KEY (tenantgroup_id) REFERENCES tenancy_tenantgroup (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_tenant_groups_tenantgroup_id_idx ON extras_configcontext_tenant_groups (tenantgroup_id);

CREATE TABLE extras_configcontext_tenants (
    configcontext_id BIGINT NOT NULL,
    tenant_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_tenants_pkey PRIMARY KEY (configcontext_id, tenant_id),
    CONSTRAINT extras_configcontext_tenants_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_tenants_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenancy_tenant (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_tenants_tenant_id_idx ON extras_configcontext_tenants (tenant_id);

CREATE TABLE extras_configcontext_tags (
    configcontext_id BIGINT NOT NULL,
    tag_id BIGINT NOT NULL,
    CONSTRAINT extras_configcontext_tags_pkey PRIMARY KEY (configcontext_id, tag_id),
    CONSTRAINT extras_configcontext_tags_configcontext_id_fkey FOREIGN KEY (configcontext_id) REFERENCES extras_configcontext (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT extras_configcontext_tags_tag_id_fkey FOREIGN KEY (tag_id) REFERENCES extras_tag (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX extras_configcontext_tags_tag_id_idx ON extras_configcontext_tags (tag_id);

CREATE TABLE extras_dashboard (
    id BIGSERIAL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    layout JSONB,
    config JSONB,
    CONSTRAINT extras_dashboard_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX extras_dashboard_user_id_key ON extras_dashboard (user_id);

-- Taggings are listed too: they get a number, and are counted from what there is.
ALTER TABLE extras_taggeditem ADD COLUMN id BIGSERIAL NOT NULL;
CREATE UNIQUE INDEX extras_taggeditem_id_key ON extras_taggeditem (id);
INSERT INTO row_counts (model, slot, n) SELECT 'extras.taggeditem', 0, count(*) FROM extras_taggeditem HAVING count(*) > 0;
SELECT keep_row_count('extras_taggeditem', 'extras.taggeditem');
