import { z } from 'zod';

/** A linkifier on the wire; what it does not have is left out (docs/contract/chat.md 2.A). */
export const wireLinkifier = z
  .strictObject({
    id: z.int(),
    pattern: z.string().meta({ description: 'A regular expression in the syntax of RE2' }),
    url_template: z.string().meta({ description: 'RFC 6570' }),
    example_input: z.string().optional(),
    reverse_template: z.string().optional(),
    alternative_url_templates: z.array(z.string()).optional(),
  })
  .meta({ id: 'Linkifier' });

export type WireLinkifier = z.infer<typeof wireLinkifier>;

/** A row of `realm_linkifiers l` as JSON of the wire. */
export const linkifierJson = `json_strip_nulls(json_build_object('id', l.id, 'pattern', l.pattern,
  'url_template', l.url_template, 'example_input', l.example_input, 'reverse_template', l.reverse_template,
  'alternative_url_templates', nullif(l.alternative_url_templates, '{}')))`;
