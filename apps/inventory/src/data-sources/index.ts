export { createFinishedSyncJobsCleanup } from './sync-job-retention.js';
export { dataSourceEnvironmentVariables, createDataSourceSyncSettings } from './data-source-settings.js';
export { enqueueDataSourceSyncJob } from './data-source-sync-jobs.js';
export { encryptStoredDataSourceSecrets } from './encrypt-stored-parameters.js';
export { SecretMasking } from './mask-secrets-periodically.js';
export { DataSourceSyncRunner } from './sync-runner.js';
