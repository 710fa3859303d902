import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireLinkifierSchema } from './wire-linkifier.js';

const linkifierParameters = z.object({
  pattern: z.string().meta({ description: 'A regular expression in the syntax of RE2' }),
  url_template: z
    .string()
    .meta({ description: 'URL template (RFC 6570); its variables are the named groups of the pattern' }),
  example_input: z.string().optional().meta({ description: 'A text that the whole pattern matches' }),
  reverse_template: z
    .string()
    .optional()
    .meta({ description: 'Text that replaces a matching URL when it is pasted, with `{group}` placeholders' }),
  alternative_url_templates: z.array(z.string()).optional(),
});

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Response body of the request GET /realm/linkifiers, which lists linkifiers (docs/contract/chat.md 2.H). */
export const listLinkifiersResponseBody = createSuccessBodySchema({ linkifiers: z.array(wireLinkifierSchema) });

/**
 * Response of GET /realm/filters, an older endpoint that always returns an empty list (docs/contract/chat.md 2.H and
 * 4.2).
 */
export const legacyLinkifierListResponseBody = createSuccessBodySchema({ filters: z.array(z.never()) });

/** Parameters of the request POST /realm/filters, which adds a linkifier. */
export const addLinkifierParameters = defineParameters(linkifierParameters);

/** Response body of the request POST /realm/filters, which adds a linkifier. */
export const addLinkifierResponseBody = createSuccessBodySchema({ id: z.int() });

/** Parameters of the request PATCH /realm/filters/{filter_id}, which changes a linkifier. */
export const updateLinkifierParameters = defineParameters(linkifierParameters);

/** Parameters of the request PATCH /realm/linkifiers, which changes the order of linkifiers. */
export const reorderLinkifiersParameters = defineParameters(z.object({ ordered_linkifier_ids: z.array(z.int()) }));

/** Path parameters of the endpoints for one linkifier: the id of the linkifier. */
export const linkifierPathParameters = z.object({ filter_id: z.int() });

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});
