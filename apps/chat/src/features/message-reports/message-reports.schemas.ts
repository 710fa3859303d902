import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Parameters of POST /messages/{message_id}/report (docs/contract/chat.md 2.C). */
export const reportMessageParameters = defineParameters(
  z.object({
    report_type: z.string().meta({ description: 'One of server_report_message_types' }),
    description: z.string().max(1000).optional(),
  }),
);

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
