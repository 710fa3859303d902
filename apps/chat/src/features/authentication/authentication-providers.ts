import type { Provider } from '@nestjs/common';
import type { Clock } from '@switchboard/platform';
import { BrowserSignIn } from './browser-sign-in.action.js';
import { type JsonWebTokenConfig, JsonWebTokens } from './json-web-tokens.js';
import { ListDevelopmentAccounts } from './list-development-accounts.query.js';
import { SessionService } from './sessions.action.js';
import { SignInService } from './sign-in.action.js';
import { TokenSignIn } from './token-sign-in.action.js';

/** Process objects that {@link authenticationProviders} needs. */
export interface AuthenticationDependencies {
  readonly config: JsonWebTokenConfig;
  readonly clock: Clock;
}

/** Returns the Nest providers of the authentication module. */
export function authenticationProviders({ config, clock }: AuthenticationDependencies): Provider[] {
  const tokens = { provide: JsonWebTokens, useValue: new JsonWebTokens(config, clock) };
  return [BrowserSignIn, ListDevelopmentAccounts, SessionService, SignInService, tokens, TokenSignIn];
}
