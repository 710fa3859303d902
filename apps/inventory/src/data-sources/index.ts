export { jobRetention } from './job-retention.js';
export { dataSourceEnv, dataSourceSettings } from './data-source-settings.js';
export { enqueueSync } from './sync-jobs.js';
export { encryptStoredParameters } from './encrypt-stored-parameters.js';
export { SecretMasking } from './secret-masking.js';
export { SyncRunner } from './sync-runner.js';
