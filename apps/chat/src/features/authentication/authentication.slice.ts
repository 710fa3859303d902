import type { Database } from '@switchboard/database';
import { defineSlice } from '../../events/define-feature-slice.js';
import { AuthenticationController } from './authentication.controller.js';
import { sessionJobs } from './authentication.jobs.js';
import { type AuthenticationDependencies, authenticationProviders } from './authentication-providers.js';
import { DevAuthenticationController } from './dev-authentication.controller.js';
import { jsonWebTokenEnv } from './json-web-tokens.js';
import { JwtAuthenticationController } from './jwt-authentication.controller.js';
import { LoginController } from './login.controller.js';
import { SessionKeyController } from './session-key.controller.js';

/** Feature module (slice) of authentication: its endpoints, pages, jobs and environment variables. */
export const authenticationSlice = defineSlice('authentication', {
  controllers: [AuthenticationController, JwtAuthenticationController, LoginController, SessionKeyController],
  developmentControllers: [DevAuthenticationController],
  providers: (runtime: AuthenticationDependencies & { readonly database: Database }) =>
    authenticationProviders(runtime),
  jobs: sessionJobs,
  configuration: jsonWebTokenEnv,
});
