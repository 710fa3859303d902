export { readReceiptsSlice } from './read-receipts.slice.js';
