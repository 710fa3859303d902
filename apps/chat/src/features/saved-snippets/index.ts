export { savedSnippetsSlice } from './saved-snippets.slice.js';
