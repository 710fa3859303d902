import { z } from 'zod';
import { successBody } from '../../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../../infra/http/parameters.js';

/** Parameters of POST /messages/render (docs/contract/chat.md 2.C). */
export const renderMessageParameters = defineParameters(z.object({ content: z.string() }));

/** Response of POST /messages/render. */
export const renderMessageResponseBody = successBody({ rendered: z.string().meta({ description: 'HTML' }) });
