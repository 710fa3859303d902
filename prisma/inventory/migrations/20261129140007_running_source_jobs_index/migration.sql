-- Finds the running job of a data source.
CREATE INDEX CONCURRENTLY core_job_running_source_idx ON core_job
    ((CASE WHEN status = 'running' AND object_type = 'core.datasource' THEN object_id END))
    WHERE (CASE WHEN status = 'running' AND object_type = 'core.datasource' THEN object_id END) IS NOT NULL;
