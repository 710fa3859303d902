import { Inject, Injectable } from '@nestjs/common';
import type { SecretBox } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { toActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { lockRealm, lockRealmMembership } from '../../core/database-locks.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { StoredFileLedger } from '../../infra/storage/index.js';
import { CHAT_CONFIG, CLOCK, DATABASE, SECRET_BOX } from '../../tokens.js';
import { ExportLinks } from './export-links.js';
import { emitExports, listExports } from './list-realm-exports.js';
import {
  countRecentExports,
  hasConsentingOwner,
  hasOwnerWithEmail,
  insertExport,
  listConsents,
  lockExport,
  removeExportParts,
} from './realm-exports.repository.js';
import { exportTypeSchema, type WireExport, insertDownloadTokens } from './wire-export.js';

/**
 * Requests, lists and deletes exports of an organization (docs/contract/chat.md 2.H). All methods require an
 * administrator.
 */
@Injectable()
export class RealmExportsService {
  readonly #links: ExportLinks;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CHAT_CONFIG) private readonly config: { readonly REALM_EXPORTS_PER_WEEK: number },
    @Inject(SECRET_BOX) secrets: SecretBox,
    @Inject(CLOCK) clock: Clock,
    private readonly events: ChatEvents,
    private readonly files: StoredFileLedger,
  ) {
    this.#links = new ExportLinks(secrets, clock);
  }

  /** Lists the exports of the actor's organization, oldest first. @throws AppError UNAUTHORIZED_PRINCIPAL */
  async list(actor: ChatActor): Promise<{ exports: WireExport[] }> {
    requireAdmin(await toActorRights(this.database, actor));
    const exports = await listExports(this.database, actor.realmId);
    return {
      exports: insertDownloadTokens(exports, (exportId) => this.#links.createToken({ exportId, userId: actor.id })),
    };
  }

  /**
   * Lists the active human users, and whether each user consents to the export of private data.
   *
   * @throws AppError UNAUTHORIZED_PRINCIPAL
   */
  async listConsents(actor: ChatActor): Promise<{ export_consents: { user_id: number; consented: boolean }[] }> {
    requireAdmin(await toActorRights(this.database, actor));
    return { export_consents: await listConsents(this.database, actor.realmId) };
  }

  /**
   * Stores a request for an export, which a worker process creates later. Returns the id of the export.
   *
   * @throws AppError UNAUTHORIZED_PRINCIPAL; BAD_REQUEST after too many requests, or if no owner could sign in after an
   * import of the export
   */
  async add(actor: ChatActor, type: number): Promise<{ id: number }> {
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await toActorRights(tx, actor));
      // Requests of one realm are counted one after the other.
      await lockRealm(tx, actor.realmId);
      if ((await countRecentExports(tx, actor.realmId)) >= this.config.REALM_EXPORTS_PER_WEEK) {
        throw createBadRequestError('Exceeded rate limit.');
      }
      if (type === exportTypeSchema.consenting && !(await hasConsentingOwner(tx, actor.realmId))) {
        throw createBadRequestError('Make sure at least one Organization Owner is consenting to the export.');
      }
      if (type === exportTypeSchema.public && !(await hasOwnerWithEmail(tx, actor.realmId))) {
        throw createBadRequestError(
          'Make sure at least one Organization Owner allows Administrators to see their email address.',
        );
      }
      const id = await insertExport(tx, actor.realmId, actor.id, type);
      await emitExports(tx, this.events, actor.realmId);
      chatAudit.add(tx, 'export_requested', { id, exportType: type });
      return { id };
    });
  }

  /**
   * Deletes the archive of a finished export. The export remains in the list.
   *
   * @throws AppError UNAUTHORIZED_PRINCIPAL, NOT_FOUND; BAD_REQUEST for an export without an archive
   */
  async remove(actor: ChatActor, id: number): Promise<void> {
    const keys = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await toActorRights(tx, actor));
      const locked = await lockExport(tx, actor.realmId, id);
      if (locked === null) throw chatErrors.create('NOT_FOUND', { message: 'Invalid data export ID' });
      if (locked.isDeleted) throw createBadRequestError('Export already deleted');
      if (locked.hasFailed) throw createBadRequestError('Export failed, nothing to delete');
      if (locked.isPending) throw createBadRequestError('Export still in progress');
      await tx.query('UPDATE realm_exports SET deleted_at = now() WHERE id = $1', [id]);
      const removed = await removeExportParts(tx, id);
      await this.files.scheduleDeletion(tx, removed);
      await emitExports(tx, this.events, actor.realmId);
      chatAudit.add(tx, 'export_deleted', { id });
      return removed;
    });
    await this.files.deleteNow(keys);
  }
}
