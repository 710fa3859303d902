import { z } from 'zod';
import { createSuccessBodySchema } from '../../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../../infra/http/parameters.js';

/** Parameters of the request POST /messages/render, which converts Markdown to HTML (docs/contract/chat.md 2.C). */
export const renderMessageParameters = defineParameters(z.object({ content: z.string() }));

/** Response body of the request POST /messages/render, which converts Markdown to HTML. */
export const renderMessageResponseBody = createSuccessBodySchema({
  rendered: z.string().meta({ description: 'HTML' }),
});
