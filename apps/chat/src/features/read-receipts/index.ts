export { GetReadReceipts } from './get-read-receipts.query.js';
export { ReadReceiptsController } from './read-receipts.controller.js';
