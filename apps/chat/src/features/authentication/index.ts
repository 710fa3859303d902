export { auditSignIn } from './audit-sign-in.js';
export { authenticationSlice } from './authentication.slice.js';
export { DevAuthenticationController } from './dev-authentication.controller.js';
export { SessionService } from './sessions.action.js';
export { removeExpiredSessions } from './sessions.repository.js';
export {
  getFormStatus,
  sendWebPage,
  generateCsrfToken,
  getBrowserVisitor,
  type BrowserVisitor,
  type WebResponse,
} from './send-web-page.js';
export type { VerifiedAccount } from './sign-in-accounts.repository.js';
