import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { DATABASE_TOKEN } from '../../tokens.js';
import { isSubdomainInUse } from './realms.repository.js';
import { findUnavailableSubdomainReason } from './check-subdomain-name.js';

/** Checks whether a new organization could have a subdomain (docs/contract/chat.md 2.H). */
@Injectable()
export class CheckSubdomain {
  constructor(@Inject(DATABASE_TOKEN) private readonly database: Database) {}

  /** Returns the message `available`, or the reason why the subdomain is unavailable. */
  async run(name: string): Promise<{ msg: string }> {
    const fault = findUnavailableSubdomainReason(name);
    if (fault !== null) return { msg: fault };
    const isInUse = await isSubdomainInUse(this.database, name);
    return { msg: isInUse ? 'Subdomain already in use. Please choose a different one.' : 'available' };
  }
}
