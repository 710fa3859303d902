DROP INDEX CONCURRENTLY IF EXISTS core_job_unfinished_idx;
