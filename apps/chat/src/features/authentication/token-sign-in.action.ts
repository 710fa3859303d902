import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { listUsers, toWireUser, type WireUser } from '../../core/users/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import type { jwtFetchApiKeyParameters } from './authentication.schemas.js';
import { JsonWebTokenVerifier } from './json-web-tokens.js';
import { SignInService } from './sign-in.action.js';

/** Signs users in with a JSON web token that contains their email address. */
@Injectable()
export class JsonWebTokenSignIn {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly tokens: JsonWebTokenVerifier,
    private readonly signIn: SignInService,
  ) {}

  /**
   * Returns the API key of the account whose email address the token contains.
   *
   * @throws ApplicationError BAD_REQUEST for an invalid token; AUTHENTICATION_FAILED, USER_DEACTIVATED,
   * REALM_DEACTIVATED
   */
  async run(
    host: string,
    { token, include_profile: withProfile }: DecodedParametersOfDefinition<typeof jwtFetchApiKeyParameters>,
  ): Promise<{ api_key: string; email: string; user?: WireUser }> {
    const { signedIn, owner } = await this.signIn.signInWithVerifiedEmail(host, () =>
      this.tokens.verifyAndReadEmailAddress(token),
    );
    const key = { api_key: signedIn.api_key, email: signedIn.email };
    if (!withProfile) return key;
    const [user] = await listUsers(this.database, owner.realmId, [owner.id]);
    if (user === undefined) return key;
    return { ...key, user: toWireUser(user, { viewer: owner, clientGravatar: false, customFields: false }) };
  }
}
