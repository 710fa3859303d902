import { Inject, Injectable } from '@nestjs/common';
import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { lockRealm, lockRealmMembership } from '../../core/database-locks.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { StoredFileDeletionSchedule } from '../../infra/storage/index.js';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN, DATABASE_TOKEN, SECRET_BOX_TOKEN } from '../../tokens.js';
import { ExportDownloadLinks } from './export-links.js';
import { emitRealmExportList, listExports } from './list-realm-exports.js';
import {
  countRecentExports,
  hasOwnerConsentingToExport,
  hasOwnerWithVisibleEmail,
  insertExport,
  listConsents,
  lockExport,
  removeExportParts,
} from './realm-exports.repository.js';
import { exportTypeNumbers, type WireExport, insertDownloadTokens } from './wire-export.js';

/**
 * Requests, lists and deletes exports of an organization (docs/contract/chat.md 2.H). All methods require an
 * administrator.
 */
@Injectable()
export class RealmExportsService {
  readonly #links: ExportDownloadLinks;

  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: { readonly REALM_EXPORTS_PER_WEEK: number },
    @Inject(SECRET_BOX_TOKEN) secrets: SecretTextEncryptor,
    @Inject(CLOCK_TOKEN) clock: Clock,
    private readonly events: ChatEventWriter,
    private readonly files: StoredFileDeletionSchedule,
  ) {
    this.#links = new ExportDownloadLinks(secrets, clock);
  }

  /** Lists the exports of the actor's organization, oldest first. @throws ApplicationError UNAUTHORIZED_PRINCIPAL */
  async list(actor: ChatActor): Promise<{ exports: WireExport[] }> {
    requireAdmin(await loadActorRights(this.database, actor));
    const exports = await listExports(this.database, actor.realmId);
    return {
      exports: insertDownloadTokens(exports, (exportId) => this.#links.createToken({ exportId, userId: actor.id })),
    };
  }

  /**
   * Lists the active human users, and whether each user consents to the export of private data.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL
   */
  async listConsents(actor: ChatActor): Promise<{ export_consents: { user_id: number; consented: boolean }[] }> {
    requireAdmin(await loadActorRights(this.database, actor));
    return { export_consents: await listConsents(this.database, actor.realmId) };
  }

  /**
   * Stores a request for an export, which a worker process creates later. Returns the id of the export.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL; BAD_REQUEST after too many requests, or if no owner could sign in
   * after an import of the export
   */
  async requestExport(actor: ChatActor, type: number): Promise<{ id: number }> {
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await loadActorRights(tx, actor));
      // Requests of one realm are counted one after the other.
      await lockRealm(tx, actor.realmId);
      if ((await countRecentExports(tx, actor.realmId)) >= this.config.REALM_EXPORTS_PER_WEEK) {
        throw createBadRequestError('Exceeded rate limit.');
      }
      if (type === exportTypeNumbers.consenting && !(await hasOwnerConsentingToExport(tx, actor.realmId))) {
        throw createBadRequestError('Make sure at least one Organization Owner is consenting to the export.');
      }
      if (type === exportTypeNumbers.public && !(await hasOwnerWithVisibleEmail(tx, actor.realmId))) {
        throw createBadRequestError(
          'Make sure at least one Organization Owner allows Administrators to see their email address.',
        );
      }
      const id = await insertExport(tx, actor.realmId, actor.id, type);
      await emitRealmExportList(tx, this.events, actor.realmId);
      chatAudit.add(tx, 'export_requested', { id, exportType: type });
      return { id };
    });
  }

  /**
   * Deletes the archive of a finished export. The export remains in the list.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, NOT_FOUND; BAD_REQUEST for an export without an archive
   */
  async deleteArchive(actor: ChatActor, id: number): Promise<void> {
    const keys = await this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await loadActorRights(tx, actor));
      const locked = await lockExport(tx, actor.realmId, id);
      if (locked === null) throw chatErrors.create('NOT_FOUND', { message: 'Invalid data export ID' });
      if (locked.isDeleted) throw createBadRequestError('Export already deleted');
      if (locked.hasFailed) throw createBadRequestError('Export failed, nothing to delete');
      if (locked.isPending) throw createBadRequestError('Export still in progress');
      await tx.query('UPDATE realm_exports SET deleted_at = now() WHERE id = $1', [id]);
      const removed = await removeExportParts(tx, id);
      await this.files.scheduleDeletion(tx, removed);
      await emitRealmExportList(tx, this.events, actor.realmId);
      chatAudit.add(tx, 'export_deleted', { id });
      return removed;
    });
    await this.files.deleteNow(keys);
  }
}
