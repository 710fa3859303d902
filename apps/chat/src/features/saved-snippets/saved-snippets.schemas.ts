import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireSavedSnippetSchema } from './wire-saved-snippet.js';

/** Maximum lengths of the title and of the content of a saved snippet, in code points (docs/contract/chat.md 2.A). */
export const snippetLimits = { title: 60, content: 10_000 } as const;

const snippetTitle = z.string().meta({ description: `At most ${snippetLimits.title} characters` });
const snippetContent = z.string().meta({ description: `At most ${snippetLimits.content} characters` });

/** Parameters of POST /saved_snippets (docs/contract/chat.md 2.D). */
export const addSnippetParameters = defineParameters(z.object({ title: snippetTitle, content: snippetContent }));

/** Response of POST /saved_snippets. */
export const addSnippetResponseBody = successBody({ saved_snippet_id: z.int() });

/** Parameters of PATCH /saved_snippets/{saved_snippet_id}. */
export const updateSnippetParameters = defineParameters(
  z.object({ title: snippetTitle.optional(), content: snippetContent.optional() }),
);

/** Response of GET /saved_snippets. */
export const listSnippetsResponseBody = successBody({ saved_snippets: z.array(wireSavedSnippetSchema) });

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const noParameters = defineParameters(z.object({}));

/** Schema of the path parameters of endpoints that address one saved snippet by id. */
export const snippetPathParameters = z.object({ saved_snippet_id: z.int() });
