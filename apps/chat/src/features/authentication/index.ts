export { auditSignIn } from './audit-sign-in.js';
export { authenticationFeatureModule } from './authentication.slice.js';
export { DevelopmentAuthenticationController } from './dev-authentication.controller.js';
export { BrowserSessionService } from './sessions.action.js';
export { removeExpiredBrowserSessions } from './sessions.repository.js';
export {
  getFormPageHttpStatus,
  sendWebPage,
  generateCsrfToken,
  getBrowserVisitor,
  type BrowserVisitor,
  type WebPageOrRedirectResponse,
} from './send-web-page.js';
export type { AccountWithVerifiedPassword } from './sign-in-accounts.repository.js';
