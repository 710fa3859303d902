export { botsSlice } from './bots.slice.js';
