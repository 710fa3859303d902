export { authenticationSlice } from './authentication.slice.js';
export { DevAuthenticationController } from './dev-authentication.controller.js';
export { Sessions } from './sessions.action.js';
export { removeExpiredSessions } from './sessions.repository.js';
export { answerPage, newCsrfToken, visitorOf, type Visitor, type WebAnswer } from './web-page.js';
export type { VerifiedAccount } from './accounts.repository.js';
