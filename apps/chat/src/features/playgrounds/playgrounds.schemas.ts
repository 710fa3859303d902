import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Parameters of POST /realm/playgrounds (docs/contract/chat.md 2.H). */
export const addPlaygroundParameters = defineParameters(
  z.object({
    name: z.string().meta({ description: 'At most 100 characters' }),
    pygments_language: z.string().meta({ description: 'Language of code blocks, at most 40 characters' }),
    url_template: z.string().meta({ description: 'RFC 6570, with `code` as its only variable' }),
  }),
);

/** Response of POST /realm/playgrounds. */
export const addPlaygroundResponseBody = successBody({ id: z.int() });

/** Empty parameters, for endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));

/** Path parameters of endpoints for one playground. */
export const playgroundPathParameters = z.object({ playground_id: z.int() });

/** Success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});
