import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { z } from 'zod';
import { getRealmOfHost } from '../../core/realms/index.js';
import { roleNumbers } from '../../infra/http/chat-actor.js';
import { DATABASE } from '../../tokens.js';
import { listActivePeople } from './sign-in-accounts.repository.js';
import type { devListUsersResponseBody } from './authentication.schemas.js';

type DevelopmentAccounts = Pick<z.output<typeof devListUsersResponseBody>, 'direct_admins' | 'direct_users'>;

/** Lists accounts that development mode allows to sign in without a password (docs/contract/chat.md 2.B). */
@Injectable()
export class ListDevelopmentAccounts {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /**
   * Returns the accounts of people in the realm of the given host. Lists administrators separately from other users.
   *
   * @throws AppError NONEXISTENT_SUBDOMAIN
   */
  async run(host: string, origin: string): Promise<DevelopmentAccounts> {
    const realm = await getRealmOfHost(this.database, host);
    const people = await listActivePeople(this.database, realm.id);
    const listed = (isAdmin: boolean) =>
      people
        .filter((person) => person.role <= roleNumbers.administrator === isAdmin)
        .map(({ email }) => ({ email, realm_url: origin }));
    return { direct_admins: listed(true), direct_users: listed(false) };
  }
}
