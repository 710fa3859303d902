import { badRequest } from '../../errors.js';
import { parseRequiredText, parseOptionalText } from '../../infra/http/parse-text-parameters.js';
import { textKey } from '../../infra/normalized-text-key.js';
import { accountTexts, checkFieldData } from './check-profile-field-data.js';
import type { NewProfileField } from './profile-fields.repository.js';
import { fieldType, type WireProfileField } from './wire-profile-field.js';

const maxInSummary = 2;
const maxNameLength = 40;
const maxHintLength = 80;

/** A custom profile field as sent by a client. Absent properties remain unchanged or get their defaults. */
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
 * @throws AppError BAD_REQUEST
 */
export function resultingField(
  type: number,
  sent: RequestedProfileField,
  before: WireProfileField | null,
  others: readonly WireProfileField[],
): NewProfileField {
  const keepsData = before !== null && sent.field_data === undefined;
  const fieldData = keepsData ? before.field_data : checkFieldData(type, sent.field_data);
  const texts = accountTexts(type, fieldData);
  const name = texts?.name ?? parseRequiredText('name', sent.name ?? before?.name ?? '', maxNameLength);
  if (others.some((other) => textKey(other.name) === textKey(name))) {
    throw badRequest('A field with that label already exists.');
  }
  const field = {
    type,
    name,
    hint: parseOptionalText('hint', sent.hint ?? before?.hint ?? texts?.hint ?? '', maxHintLength),
    fieldData,
    inSummary: sent.display_in_profile_summary ?? before?.display_in_profile_summary ?? false,
    required: sent.required ?? before?.required ?? false,
    editableByUser: sent.editable_by_user ?? before?.editable_by_user ?? true,
    forMatching: sent.use_for_user_matching ?? before?.use_for_user_matching ?? false,
  };
  checkUses(field, others);
  return field;
}

function checkUses(field: NewProfileField, others: readonly WireProfileField[]): void {
  if (field.inSummary) {
    if (field.type === fieldType.users) {
      throw badRequest('Field type not supported for display in profile summary.');
    }
    const shown = others.filter((other) => other.display_in_profile_summary).length;
    if (shown >= maxInSummary) {
      throw badRequest(`Only ${maxInSummary} custom profile fields can be displayed in the profile summary.`);
    }
  }
  if (field.forMatching && field.type !== fieldType.shortText && field.type !== fieldType.externalAccount) {
    throw badRequest('Field type not supported for user matching.');
  }
}
