-- Finds unfinished jobs of a data source. Finished ones are not in the index.
CREATE INDEX CONCURRENTLY core_job_unfinished_source_idx ON core_job
    ((CASE WHEN status IN ('pending', 'scheduled', 'running') AND object_type = 'core.datasource' THEN object_id END), interval)
    WHERE (CASE WHEN status IN ('pending', 'scheduled', 'running') AND object_type = 'core.datasource' THEN object_id END) IS NOT NULL;
