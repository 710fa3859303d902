import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { hasScope } from '../../infra/http/api-key-scopes.js';
import { wireExportSchema, insertDownloadTokens } from './wire-export.js';

const exportAdministratorsAudience = 'The administrators of the realm.';
const exportsFields = { exports: z.array(wireExportSchema) };
const consentFields = { user_id: z.int(), consented: z.boolean() };

/**
 * Event sent when an export was requested, finished, failed or was deleted (docs/contract/chat.md 3.4). The event
 * contains download links, which work without credentials. Therefore API keys without the scope `administer` receive no
 * links, and each administrator receives a separate link.
 */
export const realmExportEvent = defineEvent({
  name: 'realm_export',
  audience: exportAdministratorsAudience,
  payload: z.strictObject(exportsFields),
}).withVariant({
  type: 'realm_export',
  fields: exportsFields,
  render: ({ exports }, { viewer, exportToken }) => ({
    exports: hasScope(viewer, 'administer')
      ? insertDownloadTokens(exports, exportToken)
      : exports.map((one) => ({ ...one, export_url: null })),
  }),
});

/** Event sent when a user allowed or forbade the export of private data of that user. */
export const realmExportConsentEvent = defineEvent({
  name: 'realm_export_consent',
  audience: exportAdministratorsAudience,
  payload: z.strictObject(consentFields),
}).withVariant({ type: 'realm_export_consent', fields: consentFields, render: (payload) => payload });

/** List of all event types that concern exports. */
export const realmExportEvents = [realmExportEvent, realmExportConsentEvent];
