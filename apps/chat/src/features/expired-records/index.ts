export { expiredRecordsFeatureModule } from './expired-records.slice.js';
export { removeExpiredRecords } from './remove-expired-records.js';
