import { z } from 'zod';
import type { RealmLinkifierModel } from '../../generated/prisma/models.js';

/** Schema of a linkifier in the API, without empty fields (docs/contract/chat.md 2.A). */
export const wireLinkifierSchema = z
  .strictObject({
    id: z.int(),
    pattern: z.string().meta({ description: 'A regular expression in the syntax of RE2' }),
    url_template: z.string().meta({ description: 'RFC 6570' }),
    example_input: z.string().optional(),
    reverse_template: z.string().optional(),
    alternative_url_templates: z.array(z.string()).optional(),
  })
  .meta({ id: 'Linkifier' });

export type WireLinkifier = z.infer<typeof wireLinkifierSchema>;

/** Database columns of a linkifier that {@link toWireLinkifier} converts. */
export const linkifierColumns = {
  id: true,
  pattern: true,
  urlTemplate: true,
  exampleInput: true,
  reverseTemplate: true,
  alternativeUrlTemplates: true,
} as const;

/** Converts the database row of a linkifier to the JSON form of the API. */
export function toWireLinkifier(row: Pick<RealmLinkifierModel, keyof typeof linkifierColumns>): WireLinkifier {
  const { id, pattern, urlTemplate, exampleInput, reverseTemplate, alternativeUrlTemplates } = row;
  return {
    id,
    pattern,
    url_template: urlTemplate,
    ...(exampleInput !== null && { example_input: exampleInput }),
    ...(reverseTemplate !== null && { reverse_template: reverseTemplate }),
    ...(alternativeUrlTemplates.length > 0 && { alternative_url_templates: alternativeUrlTemplates }),
  };
}
