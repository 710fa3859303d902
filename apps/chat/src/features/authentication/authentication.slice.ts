import type { Database } from '@switchboard/database';
import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { AuthenticationController } from './authentication.controller.js';
import { createSessionJobs } from './authentication.jobs.js';
import { type AuthenticationDependencies, createAuthenticationProviders } from './authentication-providers.js';
import { DevelopmentAuthenticationController } from './dev-authentication.controller.js';
import { jsonWebTokenEnvironmentSchemas } from './json-web-tokens.js';
import { JwtAuthenticationController } from './jwt-authentication.controller.js';
import { LoginController } from './login.controller.js';
import { BrowserSessionApiKeyController } from './session-key.controller.js';

/** Feature module (slice) of authentication: its endpoints, pages, jobs and environment variables. */
export const authenticationFeatureModule = defineFeatureModule('authentication', {
  controllers: [AuthenticationController, JwtAuthenticationController, LoginController, BrowserSessionApiKeyController],
  developmentControllers: [DevelopmentAuthenticationController],
  providers: (runtime: AuthenticationDependencies & { readonly database: Database }) =>
    createAuthenticationProviders(runtime),
  jobs: createSessionJobs,
  configuration: jsonWebTokenEnvironmentSchemas,
});
