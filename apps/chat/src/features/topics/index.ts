export { topicsSlice } from './topics.slice.js';
