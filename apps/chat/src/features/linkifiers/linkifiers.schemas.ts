import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
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

/** Empty parameters, for endpoints without parameters. */
export const noParameters = defineParameters(z.object({}));

/** Response of GET /realm/linkifiers (docs/contract/chat.md 2.H). */
export const listLinkifiersResponseBody = successBody({ linkifiers: z.array(wireLinkifierSchema) });

/**
 * Response of GET /realm/filters, an older endpoint that always returns an empty list (docs/contract/chat.md 2.H and
 * 4.2).
 */
export const listFiltersResponseBody = successBody({ filters: z.array(z.never()) });

/** Parameters of POST /realm/filters. */
export const addLinkifierParameters = defineParameters(linkifierParameters);

/** Response of POST /realm/filters. */
export const addLinkifierResponseBody = successBody({ id: z.int() });

/** Parameters of PATCH /realm/filters/{filter_id}. */
export const updateLinkifierParameters = defineParameters(linkifierParameters);

/** Parameters of PATCH /realm/linkifiers. */
export const reorderLinkifiersParameters = defineParameters(z.object({ ordered_linkifier_ids: z.array(z.int()) }));

/** Path parameters of endpoints for one linkifier. */
export const linkifierPathParameters = z.object({ filter_id: z.int() });

/** Success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});
