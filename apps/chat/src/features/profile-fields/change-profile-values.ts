import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { getAudienceOfUserEvents, getAudiencesOfUserEvents } from '../../core/users/index.js';
import { profileValueEvent } from './profile-fields.events.js';
import {
  listProfileFields,
  removeProfileValues,
  setProfileValues,
  type StoredProfileValue,
} from './profile-fields.repository.js';
import type { SentProfileValue } from './profile-fields.schemas.js';
import { toRenderedProfileValue, toStoredProfileValue } from './check-profile-value.js';
import { profileFieldTypeNumbers, type WireProfileField } from './wire-profile-field.js';
import { lockProfileFields } from '../../core/database-locks.js';

/** Changes values of users' custom profile fields. The caller must have locked the realm membership. */
@Injectable()
export class ChangeProfileFieldValues {
  constructor(
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Sets and removes profile field values of one account. If one value is invalid, changes no value.
   * @param actor the user who changes the values; only visible users can be named in fields of the type users
   * @param options `mayEditAll`: true to include fields that users may not edit themselves
   * @throws ApplicationError BAD_REQUEST
   */
  async changeValuesOfAccount(
    tx: Tx,
    actor: ChatActor,
    userId: number,
    sent: readonly SentProfileValue[],
    options: { readonly mayEditAll: boolean },
  ): Promise<void> {
    if (sent.length === 0) return;
    const { realmId } = actor;
    await lockProfileFields(tx, realmId, 'shared');
    const fields = new Map((await listProfileFields(tx, realmId)).map((field) => [field.id, field]));
    // If two values are sent for one field, the last one counts.
    const requested = new Map(sent.map(({ id, value }) => [getEditableProfileField(fields, id, options).id, value]));
    const stored: StoredProfileValue[] = [];
    const removed: number[] = [];
    for (const [fieldId, value] of requested) {
      const field = getEditableProfileField(fields, fieldId, options);
      if (value === null || value.length === 0) removed.push(fieldId);
      else stored.push(this.#valueOf(field, value));
    }
    await checkNamedUsers(tx, actor, fields, stored);
    const set = new Set(await setProfileValues(tx, userId, stored));
    const gone = await removeProfileValues(tx, userId, removed);
    const changes = [
      ...stored.filter(({ fieldId }) => set.has(fieldId)).map(toProfileValueChange),
      ...gone.map((id) => ({ id, value: null })),
    ];
    if (changes.length === 0) return;
    const { audience } = await getAudienceOfUserEvents(tx, realmId, userId);
    this.events.write(tx, realmId, profileValueEvent, { audience, payload: { userId, changes } });
  }

  /**
   * Emits events that the given accounts no longer have a value for a profile field. The events go to all users who can
   * see the accounts.
   */
  async emitRemovedValues(tx: Tx, realmId: number, fieldId: number, userIds: readonly number[]): Promise<void> {
    if (userIds.length === 0) return;
    for (const [userId, { audience }] of await getAudiencesOfUserEvents(tx, realmId, userIds)) {
      const payload = { userId, changes: [{ id: fieldId, value: null }] };
      this.events.write(tx, realmId, profileValueEvent, { audience, payload });
    }
  }

  #valueOf(field: WireProfileField, sent: string | readonly number[]): StoredProfileValue {
    const value = toStoredProfileValue(field, sent);
    return { fieldId: field.id, value, renderedValue: toRenderedProfileValue(this.renderer, field, value) };
  }
}

function toProfileValueChange({ fieldId, value, renderedValue: html }: StoredProfileValue) {
  return { id: fieldId, value, ...(html !== null && { rendered_value: html }) };
}

function getEditableProfileField(
  fields: ReadonlyMap<number, WireProfileField>,
  fieldId: number,
  { mayEditAll }: { readonly mayEditAll: boolean },
): WireProfileField {
  const field = fields.get(fieldId);
  if (field === undefined) throw createBadRequestError(`Field id ${fieldId} not found.`);
  if (!field.editable_by_user && !mayEditAll) {
    throw createBadRequestError('You are not allowed to change this field. Contact an administrator to update it.');
  }
  return field;
}

/**
 * Checks that all users in the values of profile fields of the type users are active, not bots, and visible to the
 * actor.
 */
async function checkNamedUsers(
  tx: Tx,
  actor: ChatActor,
  fields: ReadonlyMap<number, WireProfileField>,
  stored: readonly StoredProfileValue[],
): Promise<void> {
  const ids = stored
    .filter(({ fieldId }) => fields.get(fieldId)?.type === profileFieldTypeNumbers.users)
    .flatMap(({ value }): number[] => JSON.parse(value));
  if (ids.length === 0) return;
  const users = await findUsers(tx, actor, ids, { lock: false });
  for (const id of ids) {
    const user = users.get(id);
    if (user === undefined) throw createBadRequestError(`Invalid user ID: ${id}`);
    if (!user.isActive) throw createBadRequestError(`User with ID ${id} is deactivated`);
    if (user.isBot) throw createBadRequestError(`User with ID ${id} is a bot`);
  }
}
