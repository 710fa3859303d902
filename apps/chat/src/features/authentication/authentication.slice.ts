import { defineSlice } from '../../events/define-slice.js';
import { AuthenticationController } from './authentication.controller.js';
import { sessionJobs } from './authentication.jobs.js';
import { BrowserSignIn } from './browser-sign-in.action.js';
import { DevAuthenticationController } from './dev-authentication.controller.js';
import { LoginController } from './login.controller.js';
import { SessionKeyController } from './session-key.controller.js';
import { Sessions } from './sessions.action.js';
import { SignIn } from './sign-in.action.js';

/** Feature module (slice) of authentication: its endpoints, pages and jobs. */
export const authenticationSlice = defineSlice('authentication', {
  controllers: [AuthenticationController, LoginController, SessionKeyController],
  developmentControllers: [DevAuthenticationController],
  providers: [BrowserSignIn, Sessions, SignIn],
  jobs: sessionJobs,
});
