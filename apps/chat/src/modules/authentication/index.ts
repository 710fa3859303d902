export { AuthenticationController } from './authentication.controller.js';
export { BrowserSignIn } from './browser-sign-in.action.js';
export { DevAuthenticationController } from './dev-authentication.controller.js';
export { LoginController } from './login.controller.js';
export { SessionKeyController } from './session-key.controller.js';
export { Sessions } from './sessions.action.js';
export { removeExpiredSessions } from './sessions.repository.js';
export { answerPage, newCsrfToken, visitorOf, type Visitor, type WebAnswer } from './web-page.js';
export { SignIn } from './sign-in.action.js';
