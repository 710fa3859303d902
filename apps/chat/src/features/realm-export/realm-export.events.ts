import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { hasApiKeyScope } from '../../infra/http/api-key-scopes.js';
import { wireExportSchema, insertDownloadTokens } from './wire-export.js';

const realmExportEventAudience = 'The administrators of the realm.';
const realmExportEventFields = { exports: z.array(wireExportSchema) };
const exportConsentEventFields = { user_id: z.int(), consented: z.boolean() };

/**
 * Event sent when an export was requested, finished, failed or was deleted (docs/contract/chat.md 3.4). The event
 * contains download links, which work without credentials. Therefore API keys without the scope `administer` receive no
 * links, and each administrator receives a separate link.
 */
export const realmExportEvent = defineEventType({
  name: 'realm_export',
  audience: realmExportEventAudience,
  payload: z.strictObject(realmExportEventFields),
}).addVariant({
  type: 'realm_export',
  fields: realmExportEventFields,
  render: ({ exports }, { viewer, exportToken }) => ({
    exports: hasApiKeyScope(viewer, 'administer')
      ? insertDownloadTokens(exports, exportToken)
      : exports.map((one) => ({ ...one, export_url: null })),
  }),
});

/** Event sent when a user allowed or forbade the export of private data of that user. */
export const realmExportConsentEvent = defineEventType({
  name: 'realm_export_consent',
  audience: realmExportEventAudience,
  payload: z.strictObject(exportConsentEventFields),
}).addVariant({ type: 'realm_export_consent', fields: exportConsentEventFields, render: (payload) => payload });

/** List of all event types that concern exports. */
export const realmExportEvents = [realmExportEvent, realmExportConsentEvent];
