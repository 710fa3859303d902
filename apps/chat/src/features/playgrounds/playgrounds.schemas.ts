import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Parameters of POST /realm/playgrounds (docs/contract/chat.md 2.H). */
export const addPlaygroundParameters = defineParameters(
  z.object({
    name: z.string().meta({ description: 'At most 100 characters' }),
    pygments_language: z.string().meta({ description: 'Language of code blocks, at most 40 characters' }),
    url_template: z.string().meta({ description: 'RFC 6570, with `code` as its only variable' }),
  }),
);

export const addPlaygroundResponseBody = createSuccessBodySchema({ id: z.int() });

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameters of endpoints that address one code playground by id. */
export const playgroundPathParameters = z.object({ playground_id: z.int() });

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
