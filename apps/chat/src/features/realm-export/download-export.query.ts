import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { SecretTextEncryptor } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { chatErrors } from '../../errors.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import type { FileStorage } from '../../infra/storage/index.js';
import { CLOCK_TOKEN, DATABASE_TOKEN, FILE_STORAGE_TOKEN, SECRET_BOX_TOKEN } from '../../tokens.js';
import { readExportArchiveBytes } from './archive/stream-export-archive.js';
import { type ExportDownloadLinkData, ExportDownloadLinks } from './export-links.js';
import { createArchiveName } from './list-realm-exports.js';

/** An export archive that is being streamed to a client. */
export interface OpenedArchive {
  readonly fileName: string;
  readonly content: Readable;
}

/** Row of an export and its organization. */
interface ExportOfLink {
  realm_id: number;
  realm: string;
  requested_at: number;
}

/** Reads export archives for download links, which need no credentials. */
@Injectable()
export class DownloadExport {
  readonly #links: ExportDownloadLinks;

  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(FILE_STORAGE_TOKEN) private readonly storage: FileStorage,
    @Inject(SECRET_BOX_TOKEN) secrets: SecretTextEncryptor,
    @Inject(CLOCK_TOKEN) clock: Clock,
  ) {
    this.#links = new ExportDownloadLinks(secrets, clock);
  }

  /**
   * Opens the export archive that a download link refers to.
   *
   * @throws ApplicationError NOT_FOUND for an invalid or expired link, a deleted export, or the link of a user who is
   * no longer an active administrator
   */
  async openArchive(token: string): Promise<OpenedArchive> {
    const link = this.#links.parseToken(token);
    const found = link === null ? undefined : await this.#find(link);
    if (link === null || found === undefined) throw chatErrors.create('NOT_FOUND', { message: 'File not found' });
    const { exportId: id } = link;
    const folder = createArchiveName(found.realm, id);
    // The read lasts as long as the download, so that it is no work of a request.
    const tools = { database: this.database.background('export download'), storage: this.storage };
    const content = readExportArchiveBytes(tools, { exportId: id, folder, modifiedAt: found.requested_at });
    const actor = { realm: String(found.realm_id), id: link.userId, kind: 'user' };
    chatAudit.write('export_downloaded', { id, actor });
    return { fileName: `${folder}.tar.gz`, content: Readable.from(content, { objectMode: false }) };
  }

  async #find({ exportId, userId }: ExportDownloadLinkData): Promise<ExportOfLink | undefined> {
    const { rows } = await this.database.query<ExportOfLink>(
      `SELECT r.id AS realm_id, r.string_id AS realm, extract(epoch FROM e.requested_at)::float8 AS requested_at
       FROM realm_exports e JOIN realms r ON r.id = e.realm_id JOIN users u ON u.realm_id = r.id
       WHERE e.id = $1::bigint AND e.succeeded_at IS NOT NULL AND e.deleted_at IS NULL AND NOT r.deactivated
         AND u.id = $2::bigint AND u.is_active AND u.role <= ${userRoleNumbers.administrator}`,
      [exportId, userId],
    );
    return rows[0];
  }
}
