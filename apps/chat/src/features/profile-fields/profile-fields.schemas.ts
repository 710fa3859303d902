import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireProfileFieldSchema } from './wire-profile-field.js';

const profileFieldsDataSchema = z.record(z.string(), z.unknown()).meta({
  description: 'For a list of options `{key: {text, order}}`; for an external account `{subtype, url_pattern?}`',
});

const sharedProfileFieldParameters = {
  name: z.string().optional(),
  hint: z.string().optional(),
  field_data: profileFieldsDataSchema.optional(),
  display_in_profile_summary: z.boolean().optional(),
  required: z.boolean().optional(),
  editable_by_user: z.boolean().optional(),
  use_for_user_matching: z.boolean().optional(),
};

/** Parameters of POST /realm/profile_fields (chat-4.9). */
export const profileFieldCreationParameters = defineParameters(
  z.object({ ...sharedProfileFieldParameters, field_type: z.literal([1, 2, 3, 4, 5, 6, 7, 8]) }),
);

export const addProfileFieldResponseBody = createSuccessBodySchema({ id: z.int() });

/** Parameters of PATCH /realm/profile_fields/{field_id} (docs/contract/chat.md 2.H). */
export const profileFieldUpdateParameters = defineParameters(z.object(sharedProfileFieldParameters));

export const profileFieldOrderParameters = defineParameters(z.object({ order: z.array(z.int()) }));

export const profileFieldListResponseBody = createSuccessBodySchema({ custom_fields: z.array(wireProfileFieldSchema) });

/** Schema of a user's value of one profile field, in the format in which clients send the value (chat-4.14-1). */
export const sentProfileValueSchema = z.strictObject({
  id: z.int(),
  value: z
    .union([z.string(), z.array(z.int())])
    .nullable()
    .meta({ description: 'Null removes the value' }),
});

export type SentProfileValue = z.infer<typeof sentProfileValueSchema>;

/** Parameters of PATCH /users/me/profile_data (chat-4.14). */
export const profileValuesUpdateParameters = defineParameters(z.object({ data: z.array(sentProfileValueSchema) }));

/** Parameters of DELETE /users/me/profile_data: ids of profile fields (docs/contract/chat.md 2.F). */
export const profileValuesRemovalParameters = defineParameters(z.object({ data: z.array(z.int()) }));

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameters of endpoints that address one profile field by id. */
export const profileFieldPathParameters = z.object({ field_id: z.int() });
