import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin, requireOwner } from '../../core/access/actor-rights.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { realmDomainAddEvent, realmDomainChangeEvent, realmDomainRemoveEvent } from './realm-domains.events.js';
import { addRealmDomain, listRealmDomains, removeRealmDomain, updateRealmDomain } from './realm-domains.repository.js';
import type { WireRealmDomain } from './realm-domains.schemas.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';

const domainNamePattern = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

const allUsersEventAudience = { all: true } as const;

/**
 * Lists, adds, changes and removes the email domains that a restricted realm accepts for new accounts
 * (docs/contract/chat.md 2.H).
 */
@Injectable()
export class RealmDomainsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Lists the accepted email domains.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL
   */
  async list(actor: ChatActor): Promise<{ domains: WireRealmDomain[] }> {
    requireAdmin(await loadActorRights(this.database, actor));
    return { domains: await listRealmDomains(this.database, actor.realmId) };
  }

  /**
   * Adds an accepted email domain.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  add(actor: ChatActor, given: WireRealmDomain): Promise<{ new_domain: [number, string] }> {
    return this.#change(actor, async (tx) => {
      const domain = given.domain.trim().toLowerCase();
      if (!domainNamePattern.test(domain)) throw createBadRequestError('Invalid domain');
      const payload = { domain, allow_subdomains: given.allow_subdomains };
      const id = await addRealmDomain(tx, actor.realmId, payload);
      if (id === null) throw createBadRequestError(`The domain ${domain} is already a part of your organization.`);
      this.events.write(tx, actor.realmId, realmDomainAddEvent, { audience: allUsersEventAudience, payload });
      const { allow_subdomains: allowSubdomains } = payload;
      chatAudit.add(tx, 'realm_domain_added', { id: actor.realmId, domain, allowSubdomains });
      return { new_domain: [id, domain] };
    });
  }

  /**
   * Changes an accepted email domain.
   *
   * @throws ApplicationError NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  update(actor: ChatActor, given: WireRealmDomain): Promise<void> {
    return this.#change(actor, async (tx) => {
      const payload = { ...given, domain: given.domain.toLowerCase() };
      if (!(await updateRealmDomain(tx, actor.realmId, payload))) throw createNoSuchDomainError(payload.domain);
      this.events.write(tx, actor.realmId, realmDomainChangeEvent, { audience: allUsersEventAudience, payload });
      const { domain, allow_subdomains: allowSubdomains } = payload;
      chatAudit.add(tx, 'realm_domain_changed', { id: actor.realmId, domain, allowSubdomains });
    });
  }

  /**
   * Removes an accepted email domain.
   *
   * @throws ApplicationError NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  remove(actor: ChatActor, name: string): Promise<void> {
    return this.#change(actor, async (tx) => {
      const domain = name.toLowerCase();
      if (!(await removeRealmDomain(tx, actor.realmId, domain))) throw createNoSuchDomainError(domain);
      this.events.write(tx, actor.realmId, realmDomainRemoveEvent, {
        audience: allUsersEventAudience,
        payload: { domain },
      });
      chatAudit.add(tx, 'realm_domain_removed', { id: actor.realmId, domain });
    });
  }

  #change<T>(actor: ChatActor, run: (tx: ChatTransaction) => Promise<T>): Promise<T> {
    return this.database.inTransaction(async (tx) => {
      requireOwner(await loadActorRights(tx, actor));
      return run(tx);
    });
  }
}

function createNoSuchDomainError(domain: string): Error {
  return chatErrors.create('NOT_FOUND', { message: `No entry found for domain ${domain}.` });
}
