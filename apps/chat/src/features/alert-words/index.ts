export { alertWordsSlice } from './alert-words.slice.js';
