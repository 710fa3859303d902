import { z } from 'zod';

/** Map from the names of custom profile field types to the numbers in the API (chat-4.9-1). */
export const profileFieldTypeNumbers = {
  shortText: 1,
  paragraph: 2,
  dropdown: 3,
  date: 4,
  link: 5,
  users: 6,
  externalAccount: 7,
  pronouns: 8,
} as const;

/** Schema of a custom profile field in the API (docs/contract/chat.md 2.A). */
export const wireProfileFieldSchema = z
  .strictObject({
    id: z.int(),
    type: z.int().min(1).max(8),
    order: z.int(),
    name: z.string(),
    hint: z.string(),
    field_data: z.string().meta({ description: 'JSON text, or empty' }),
    display_in_profile_summary: z.literal(true).optional(),
    required: z.boolean(),
    editable_by_user: z.boolean(),
    use_for_user_matching: z.literal(true).optional(),
  })
  .meta({ id: 'ProfileField' });

export type WireProfileField = z.infer<typeof wireProfileFieldSchema>;

/** SQL of the API's JSON form for a row of `profile_fields f`. */
export const profileFieldJsonSql = `(jsonb_build_object('id', f.id, 'type', f.field_type, 'order', f.position, 'name', f.name,
  'hint', f.hint, 'field_data', f.field_data, 'required', f.required, 'editable_by_user', f.editable_by_user)
  || CASE WHEN f.display_in_profile_summary THEN '{"display_in_profile_summary": true}'::jsonb ELSE '{}' END
  || CASE WHEN f.use_for_user_matching THEN '{"use_for_user_matching": true}'::jsonb ELSE '{}' END)`;
