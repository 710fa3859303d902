import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { hasScope } from '../../infra/http/api-key-scopes.js';
import { wireExportSchema, insertDownloadTokens } from './wire-export.js';

const exportAdministratorsAudience = 'The administrators of the realm.';
const exportsFields = { exports: z.array(wireExportSchema) };
const consentFields = { user_id: z.int(), consented: z.boolean() };

/**
 * Event of an export that was requested, finished, failed or deleted (docs/contract/chat.md 3.4). Links to archives
 * work without credentials. Therefore API keys without the scope `administer` receive no links, and each administrator
 * receives a separate link.
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

/** Event of a user who allows or forbids the export of their private data. */
export const realmExportConsentEvent = defineEvent({
  name: 'realm_export_consent',
  audience: exportAdministratorsAudience,
  payload: z.strictObject(consentFields),
}).withVariant({ type: 'realm_export_consent', fields: consentFields, render: (payload) => payload });

/** All events of exports. */
export const realmExportEvents = [realmExportEvent, realmExportConsentEvent];
