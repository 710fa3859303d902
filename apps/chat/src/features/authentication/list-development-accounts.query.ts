import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { z } from 'zod';
import { getRealmOfHost } from '../../core/realms/index.js';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { listActivePeopleOfRealm } from './sign-in-accounts.repository.js';
import type { listDevelopmentAccountsResponseBody } from './authentication.schemas.js';

type DevelopmentAccountLists = Pick<
  z.output<typeof listDevelopmentAccountsResponseBody>,
  'direct_admins' | 'direct_users'
>;

/** Lists accounts that development mode allows to sign in without a password (docs/contract/chat.md 2.B). */
@Injectable()
export class ListDevelopmentAccounts {
  constructor(@Inject(DATABASE_TOKEN) private readonly database: Database) {}

  /**
   * Returns the accounts of people in the realm of the given host. Lists administrators separately from other users.
   *
   * @throws ApplicationError NONEXISTENT_SUBDOMAIN
   */
  async run(host: string, origin: string): Promise<DevelopmentAccountLists> {
    const realm = await getRealmOfHost(this.database, host);
    const people = await listActivePeopleOfRealm(this.database, realm.id);
    const listed = (isAdmin: boolean) =>
      people
        .filter((person) => person.role <= userRoleNumbers.administrator === isAdmin)
        .map(({ email }) => ({ email, realm_url: origin }));
    return { direct_admins: listed(true), direct_users: listed(false) };
  }
}
