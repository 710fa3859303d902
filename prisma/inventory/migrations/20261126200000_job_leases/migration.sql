-- Claims of jobs: how many processes have begun the job, and until when it belongs to the last of them.
ALTER TABLE core_job ADD COLUMN attempts SMALLINT NOT NULL DEFAULT 0, ADD COLUMN lease_until TIMESTAMPTZ(6);
