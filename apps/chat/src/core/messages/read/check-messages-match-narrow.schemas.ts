import { z } from 'zod';
import { createSuccessBodySchema } from '../../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../../infra/http/parameters.js';
import { narrowParameter } from './narrow/parse-narrow-terms.js';

/**
 * Maximum number of message ids in a request to GET /messages/matches_narrow. Equals the maximum page size of GET
 * /messages.
 */
const maxMessagesPerNarrowCheck = 5000;

/** Parameters of GET /messages/matches_narrow (docs/contract/chat.md 2.C). */
export const matchesNarrowParameters = defineParameters(
  z.object({ msg_ids: z.array(z.int().nonnegative()).max(maxMessagesPerNarrowCheck), narrow: narrowParameter }),
);

/** Response body of the request GET /messages/matches_narrow, which tests which messages match a filter. */
export const matchesNarrowResponseBody = createSuccessBodySchema({
  messages: z.record(z.string(), z.strictObject({ match_content: z.string(), match_subject: z.string() })).meta({
    description:
      'The matching messages by id, with content and topic as HTML in which the words of the search are highlighted.',
  }),
});
