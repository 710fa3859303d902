import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { serverLimitSnapshotFields } from '../../core/realms/index.js';

/** Parameters of POST /submessage (docs/contract/chat.md 2.C). */
export const addSubmessageParameters = defineParameters(
  z.object({
    message_id: z.int(),
    msg_type: z.enum(['widget']),
    content: z
      .string()
      .max(serverLimitSnapshotFields.max_message_length)
      .meta({ description: 'JSON in the format of the widget' }),
  }),
);

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
