export { eventQueuesSlice } from './event-queues.slice.js';
