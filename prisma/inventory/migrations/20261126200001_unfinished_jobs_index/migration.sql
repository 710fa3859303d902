CREATE INDEX CONCURRENTLY core_job_unfinished_idx ON core_job (object_type, object_id) WHERE status IN ('pending', 'scheduled', 'running');
