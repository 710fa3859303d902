import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireDraftSchema } from './wire-draft.js';

/** Latest timestamp of a draft in UNIX seconds: the end of the year 9999, a limit of both database and clients. */
const maxTimestamp = 253_402_300_799;

const sentDraftSchema = z.strictObject({
  type: z.enum(['', 'stream', 'private']),
  to: z.array(z.int()),
  topic: z.string(),
  content: z.string(),
  timestamp: z
    .number()
    .min(0)
    .max(maxTimestamp)
    .optional()
    .meta({ description: 'UNIX time in seconds; the current time when absent' }),
});

/** A draft as a client sends it (chat-2.4). */
export type SentDraft = z.infer<typeof sentDraftSchema>;

/** Parameters of POST /drafts (chat-4.13). */
export const addDraftsParameters = defineParameters(z.object({ drafts: z.array(sentDraftSchema).default([]) }));

/** Response of POST /drafts, with the ids in the order sent. */
export const addDraftsResponseBody = successBody({ ids: z.array(z.int()) });

/** Parameters of PATCH /drafts/{draft_id} (docs/contract/chat.md 2.D). */
export const updateDraftParameters = defineParameters(z.object({ draft: sentDraftSchema }));

/** Response of GET /drafts. */
export const listDraftsResponseBody = successBody({ count: z.int(), drafts: z.array(wireDraftSchema) });

/** Success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});

/** Empty parameters, for endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));

/** Path parameters of endpoints for one draft. */
export const draftPathParameters = z.object({ draft_id: z.int() });
