import { createBadRequestError } from '../../errors.js';
import { parseRequiredText, parseOptionalText } from '../../infra/http/parse-text-parameters.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { parseExternalAccountTexts, checkProfileFieldData } from './check-profile-field-data.js';
import type { NewProfileField } from './profile-fields.repository.js';
import { profileFieldTypeNumbers, type WireProfileField } from './wire-profile-field.js';

const maxFieldsInProfileSummary = 2;
const maxProfileFieldNameLength = 40;
const maxProfileFieldHintLength = 80;

/**
 * Properties of a custom profile field in a client's request. Properties absent from the request remain unchanged or
 * get default values.
 */
export interface RequestedProfileField {
  readonly name?: string | undefined;
  readonly hint?: string | undefined;
  readonly field_data?: Readonly<Record<string, unknown>> | undefined;
  readonly display_in_profile_summary?: boolean | undefined;
  readonly required?: boolean | undefined;
  readonly editable_by_user?: boolean | undefined;
  readonly use_for_user_matching?: boolean | undefined;
}

/**
 * Returns the profile field that results from applying the sent properties to the current field (chat-4.9-1).
 *
 * @param others All other fields of the realm.
 * @throws ApplicationError BAD_REQUEST
 */
export function toRequestedProfileField(
  type: number,
  sent: RequestedProfileField,
  before: WireProfileField | null,
  others: readonly WireProfileField[],
): NewProfileField {
  const keepsData = before !== null && sent.field_data === undefined;
  const fieldData = keepsData ? before.field_data : checkProfileFieldData(type, sent.field_data);
  const texts = parseExternalAccountTexts(type, fieldData);
  const name = texts?.name ?? parseRequiredText('name', sent.name ?? before?.name ?? '', maxProfileFieldNameLength);
  if (others.some((other) => normalizeTextForComparison(other.name) === normalizeTextForComparison(name))) {
    throw createBadRequestError('A field with that label already exists.');
  }
  const field = {
    type,
    name,
    hint: parseOptionalText('hint', sent.hint ?? before?.hint ?? texts?.hint ?? '', maxProfileFieldHintLength),
    fieldData,
    inSummary: sent.display_in_profile_summary ?? before?.display_in_profile_summary ?? false,
    required: sent.required ?? before?.required ?? false,
    editableByUser: sent.editable_by_user ?? before?.editable_by_user ?? true,
    forMatching: sent.use_for_user_matching ?? before?.use_for_user_matching ?? false,
  };
  checkFieldUses(field, others);
  return field;
}

function checkFieldUses(field: NewProfileField, others: readonly WireProfileField[]): void {
  if (field.inSummary) {
    if (field.type === profileFieldTypeNumbers.users) {
      throw createBadRequestError('Field type not supported for display in profile summary.');
    }
    const shown = others.filter((other) => other.display_in_profile_summary).length;
    if (shown >= maxFieldsInProfileSummary) {
      throw createBadRequestError(
        `Only ${maxFieldsInProfileSummary} custom profile fields can be displayed in the profile summary.`,
      );
    }
  }
  if (
    field.forMatching &&
    field.type !== profileFieldTypeNumbers.shortText &&
    field.type !== profileFieldTypeNumbers.externalAccount
  ) {
    throw createBadRequestError('Field type not supported for user matching.');
  }
}
