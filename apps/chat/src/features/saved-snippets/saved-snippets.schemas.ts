import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireSavedSnippetSchema } from './wire-saved-snippet.js';

/** Maximum lengths of the title and of the content of a saved snippet, in code points (docs/contract/chat.md 2.A). */
export const savedSnippetLengthLimits = { title: 60, content: 10_000 } as const;

const savedSnippetTitleParameter = z
  .string()
  .meta({ description: `At most ${savedSnippetLengthLimits.title} characters` });
const savedSnippetContentParameter = z
  .string()
  .meta({ description: `At most ${savedSnippetLengthLimits.content} characters` });

/** Parameters of POST /saved_snippets (docs/contract/chat.md 2.D). */
export const addSnippetParameters = defineParameters(
  z.object({ title: savedSnippetTitleParameter, content: savedSnippetContentParameter }),
);

export const addSnippetResponseBody = createSuccessBodySchema({ saved_snippet_id: z.int() });

export const updateSnippetParameters = defineParameters(
  z.object({ title: savedSnippetTitleParameter.optional(), content: savedSnippetContentParameter.optional() }),
);

export const listSnippetsResponseBody = createSuccessBodySchema({ saved_snippets: z.array(wireSavedSnippetSchema) });

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameters of endpoints that address one saved snippet by id. */
export const snippetPathParameters = z.object({ saved_snippet_id: z.int() });
