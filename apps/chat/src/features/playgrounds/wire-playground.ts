import { z } from 'zod';

/** Schema of a code playground in the API (docs/contract/chat.md 2.A). */
export const wirePlaygroundSchema = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    pygments_language: z.string().meta({ description: 'Language of the code blocks that the playground runs' }),
    url_template: z.string().meta({ description: 'RFC 6570, with the variable `code`' }),
  })
  .meta({ id: 'Playground' });

export type WirePlayground = z.infer<typeof wirePlaygroundSchema>;

/** Columns of a playground that {@link toWirePlayground} reads. */
export const playgroundColumns = { id: true, name: true, pygmentsLanguage: true, urlTemplate: true } as const;

/** Returns a playground in the format of the API. */
export function toWirePlayground(row: {
  readonly id: number;
  readonly name: string;
  readonly pygmentsLanguage: string;
  readonly urlTemplate: string;
}): WirePlayground {
  const { id, name, pygmentsLanguage, urlTemplate } = row;
  return { id, name, pygments_language: pygmentsLanguage, url_template: urlTemplate };
}
