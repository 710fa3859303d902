-- Unfinished jobs in the order in which they are due.
CREATE INDEX CONCURRENTLY core_job_due_idx ON core_job ((coalesce(scheduled, created)), id)
    WHERE status IN ('pending', 'scheduled', 'running');
