export { createJobRetention } from './sync-job-retention.js';
export { dataSourceEnv, dataSourceSettings } from './data-source-settings.js';
export { enqueueSync } from './data-source-sync-jobs.js';
export { encryptStoredParameters } from './encrypt-stored-parameters.js';
export { SecretMasking } from './mask-secrets-periodically.js';
export { DataSourceSyncRunner } from './sync-runner.js';
