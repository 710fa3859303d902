import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireDraftSchema } from './wire-draft.js';

/**
 * Latest allowed timestamp of a draft in UNIX seconds. The end of the year 9999 is a limit of the database and of
 * clients.
 */
const maxDraftTimestampSeconds = 253_402_300_799;

const sentDraftSchema = z.strictObject({
  type: z.enum(['', 'stream', 'private']),
  to: z.array(z.int()),
  topic: z.string(),
  content: z.string(),
  timestamp: z
    .number()
    .min(0)
    .max(maxDraftTimestampSeconds)
    .optional()
    .meta({ description: 'UNIX time in seconds; the current time when absent' }),
});

/** A draft as a client sends it (chat-2.4). */
export type SentDraft = z.infer<typeof sentDraftSchema>;

/** Parameters of POST /drafts (chat-4.13). */
export const addDraftsParameters = defineParameters(z.object({ drafts: z.array(sentDraftSchema).default([]) }));

/** Response body of the request POST /drafts. Contains the ids of the new drafts in the order of the request. */
export const addDraftsResponseBody = createSuccessBodySchema({ ids: z.array(z.int()) });

/** Parameters of the request PATCH /drafts/{draft_id}, which replaces a draft (docs/contract/chat.md 2.D). */
export const updateDraftParameters = defineParameters(z.object({ draft: sentDraftSchema }));

/** Response body of the request GET /drafts, which lists drafts. */
export const listDraftsResponseBody = createSuccessBodySchema({ count: z.int(), drafts: z.array(wireDraftSchema) });

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Path parameters of the endpoints that change one draft. */
export const draftPathParameters = z.object({ draft_id: z.int() });
