export { linkifiersSlice } from './linkifiers.slice.js';
export { addLinkifier } from './linkifiers.repository.js';
