export { pushTokensSlice } from './push-tokens.slice.js';
