import type { Provider } from '@nestjs/common';
import type { Clock } from '@switchboard/platform';
import { BrowserSignIn } from './browser-sign-in.action.js';
import { type JsonWebTokenConfig, JsonWebTokenVerifier } from './json-web-tokens.js';
import { ListDevelopmentAccounts } from './list-development-accounts.query.js';
import { BrowserSessionService } from './sessions.action.js';
import { SignInService } from './sign-in.action.js';
import { JsonWebTokenSignIn } from './token-sign-in.action.js';

/** Process objects that {@link createAuthenticationProviders} needs. */
export interface AuthenticationDependencies {
  readonly config: JsonWebTokenConfig;
  readonly clock: Clock;
}

/** Returns the Nest providers of the authentication module. */
export function createAuthenticationProviders({ config, clock }: AuthenticationDependencies): Provider[] {
  const tokens = { provide: JsonWebTokenVerifier, useValue: new JsonWebTokenVerifier(config, clock) };
  return [BrowserSignIn, ListDevelopmentAccounts, BrowserSessionService, SignInService, tokens, JsonWebTokenSignIn];
}
