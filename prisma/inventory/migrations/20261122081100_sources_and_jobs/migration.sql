-- Data sources with their files, and jobs.

CREATE TABLE core_datasource (
    id BIGSERIAL PRIMARY KEY,
    name VARCHAR(100) NOT NULL,
    type VARCHAR(50) NOT NULL,
    source_url VARCHAR(200) NOT NULL,
    enabled BOOLEAN NOT NULL DEFAULT true,
    status VARCHAR(50) NOT NULL DEFAULT 'new',
    description VARCHAR(200) NOT NULL DEFAULT '',
    sync_interval SMALLINT,
    parameters JSONB,
    ignore_rules TEXT NOT NULL DEFAULT '',
    owner_id BIGINT,
    comments TEXT NOT NULL DEFAULT '',
    last_synced TIMESTAMPTZ(6),
    custom_field_data JSONB NOT NULL DEFAULT '{}',
    created TIMESTAMPTZ(6) DEFAULT now(),
    last_updated TIMESTAMPTZ(6) DEFAULT now(),
    CONSTRAINT core_datasource_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users_owner (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX core_datasource_name_key ON core_datasource (name);
CREATE INDEX core_datasource_owner_id_idx ON core_datasource (owner_id);
SELECT keep_row_count('core_datasource', 'core.datasource');

-- What a source held when it was last read.
CREATE TABLE core_datafile (
    id BIGSERIAL PRIMARY KEY,
    source_id BIGINT NOT NULL,
    path VARCHAR(1000) NOT NULL DEFAULT '',
    size INTEGER NOT NULL,
    hash VARCHAR(64) NOT NULL DEFAULT '',
    data BYTEA NOT NULL,
    created TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    last_updated TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    CONSTRAINT core_datafile_source_id_fkey FOREIGN KEY (source_id) REFERENCES core_datasource (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX core_datafile_source_id_path_key ON core_datafile (source_id, path);
SELECT keep_row_count('core_datafile', 'core.datafile');

CREATE TABLE core_job (
    id BIGSERIAL PRIMARY KEY,
    object_type VARCHAR(100),
    object_id BIGINT,
    name VARCHAR(200) NOT NULL,
    status VARCHAR(30) NOT NULL DEFAULT 'pending',
    scheduled TIMESTAMPTZ(6),
    interval INTEGER,
    started TIMESTAMPTZ(6),
    completed TIMESTAMPTZ(6),
    user_id BIGINT,
    data JSONB,
    error TEXT NOT NULL DEFAULT '',
    job_id UUID NOT NULL,
    queue_name VARCHAR(100) NOT NULL DEFAULT '',
    notifications VARCHAR(30) NOT NULL DEFAULT 'always',
    log_entries JSONB NOT NULL DEFAULT '[]',
    created TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    CONSTRAINT core_job_interval_check CHECK (interval >= 1),
    CONSTRAINT core_job_object_check CHECK ((object_type IS NULL) = (object_id IS NULL)),
    CONSTRAINT core_job_user_id_fkey FOREIGN KEY (user_id) REFERENCES users_user (id) ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE UNIQUE INDEX core_job_job_id_key ON core_job (job_id);
CREATE INDEX core_job_created_idx ON core_job (created DESC);
CREATE INDEX core_job_object_type_object_id_idx ON core_job (object_type, object_id);
CREATE INDEX core_job_user_id_idx ON core_job (user_id);
SELECT keep_row_count('core_job', 'core.job');
