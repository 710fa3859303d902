export { removeExpiredRecords } from './remove-expired-records.js';
