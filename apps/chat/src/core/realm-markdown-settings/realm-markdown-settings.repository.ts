import {
  compileLinkifier,
  type Linkifier,
  LinkifierError,
  type RealmMarkdownRenderingSettings,
} from '../../infra/markdown/index.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';

/** SQL expression of the URL path of a custom emoji's image. The emoji is the row `realm_emoji e`. */
export const emojiUrlSql = `'/user_avatars/' || e.realm_id || '/emoji/images/' || e.file_name`;

interface RealmMarkdownSettingsRow {
  host: string | null;
  public_url: string | null;
  code_language: string;
  shows_media: boolean;
  linkifiers: { pattern: string; url_template: string }[];
  emoji: { name: string; source_url: string }[];
}

/**
 * Reads the Markdown settings of a realm, such as linkifiers and emoji, in one SQL statement. Returns null if the realm
 * does not exist.
 */
export async function readRealmMarkdownSettings(
  tx: SqlQueryRunner,
  realmId: number,
): Promise<RealmMarkdownRenderingSettings | null> {
  const { rows } = await tx.query<RealmMarkdownSettingsRow>(
    `SELECT r.host, r.public_url, coalesce(r.settings->>'default_code_block_language', '') AS code_language,
       coalesce((r.settings->>'inline_image_preview')::boolean, true) AS shows_media, coalesce((
       SELECT json_agg(json_build_object('pattern', l.pattern, 'url_template', l.url_template) ORDER BY l.position, l.id)
       FROM realm_linkifiers l WHERE l.realm_id = r.id), '[]') AS linkifiers, coalesce((
       SELECT json_agg(json_build_object('name', e.name, 'source_url', ${emojiUrlSql}))
       FROM realm_emoji e WHERE e.realm_id = r.id AND NOT e.deactivated), '[]') AS emoji
     FROM realms r WHERE r.id = $1`,
    [realmId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return {
    origins: [
      ...(row.host === null ? [] : [`https://${row.host}`, `http://${row.host}`]),
      ...(row.public_url === null ? [] : [row.public_url]),
    ],
    linkifiers: row.linkifiers.flatMap(({ pattern, url_template: template }) =>
      compileStoredLinkifier(pattern, template),
    ),
    customEmoji: new Map(row.emoji.map(({ name, source_url: sourceUrl }) => [name, { sourceUrl }])),
    codeLanguage: row.code_language,
    showsMedia: row.shows_media,
  };
}

/**
 * Compiles a stored linkifier. Returns an empty list for an invalid pattern or template, so that one invalid linkifier
 * does not prevent the rendering of all messages.
 */
function compileStoredLinkifier(pattern: string, template: string): Linkifier[] {
  try {
    return [compileLinkifier(pattern, template)];
  } catch (error) {
    if (error instanceof LinkifierError) return [];
    throw error;
  }
}
