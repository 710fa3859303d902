import { z } from 'zod';
import { createSuccessBodySchema } from '../../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../../infra/http/parameters.js';
import { narrowParameter } from './narrow/parse-narrow-terms.js';

/** Parameters of GET /messages/summary (docs/contract/chat.md 2.C). */
export const topicSummaryParameters = defineParameters(z.object({ narrow: narrowParameter.optional() }));

/** Response body of the request GET /messages/summary, which summarizes a topic. */
export const topicSummaryResponseBody = createSuccessBodySchema({ summary: z.string() });
