export { passwordResetSlice } from './password-reset.slice.js';
