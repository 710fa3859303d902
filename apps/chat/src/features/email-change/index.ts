export { ConfirmEmail } from './confirm-email.action.js';
export { EmailChangeController } from './email-change.controller.js';
export { RequestEmail } from './request-email.js';
