import { z } from 'zod';
import { defineSnapshotPart, defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WireLinkifier, wireLinkifierSchema } from './wire-linkifier.js';

/** SQL expression of the API's JSON form of a row of `realm_linkifiers l`. */
const linkifierJsonSql = `json_strip_nulls(json_build_object('id', l.id, 'pattern', l.pattern,
  'url_template', l.url_template, 'example_input', l.example_input, 'reverse_template', l.reverse_template,
  'alternative_url_templates', nullif(l.alternative_url_templates, '{}')))`;

const linkifiersSnapshotPart = defineSqlSnapshotPart({
  types: ['realm_linkifiers'],
  shape: { realm_linkifiers: z.array(wireLinkifierSchema) },
  sql: `SELECT json_agg(${linkifierJsonSql} ORDER BY l.position, l.id) FROM realm_linkifiers l WHERE l.realm_id = $1`,
  fields: (linkifiers: WireLinkifier[] | null, { form }) => ({
    realm_linkifiers: form.client_capabilities.linkifier_url_template ? (linkifiers ?? []) : [],
  }),
});

/**
 * Part of the POST /register response with the older form of linkifiers without URL templates, which is always empty
 * (docs/contract/chat.md 4.2).
 */
const legacyLinkifiersSnapshotPart = defineSnapshotPart({
  types: ['realm_filters'],
  shape: { realm_filters: z.array(z.never()) },
  read: () => ({ realm_filters: [] }),
});

/** Parts of the POST /register response about linkifiers. */
export const linkifierSnapshotParts = [linkifiersSnapshotPart, legacyLinkifiersSnapshotPart];
