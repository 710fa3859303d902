export { submessagesSlice } from './submessages.slice.js';
