import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { ChangeProfileFieldValues } from './change-profile-values.js';
import { listChoiceKeys } from './check-profile-field-data.js';
import { toRequestedProfileField, type RequestedProfileField } from './check-requested-profile-field.js';
import { profileFieldsEvent } from './profile-fields.events.js';
import {
  addProfileField,
  listProfileFields,
  storeProfileFieldOrder,
  removeProfileField,
  removeUnlistedProfileValues,
  updateProfileField,
} from './profile-fields.repository.js';
import { profileFieldTypeNumbers, type WireProfileField } from './wire-profile-field.js';
import { lockProfileFields, lockRealmMembership } from '../../core/database-locks.js';

/** Lists, adds, changes and orders custom profile fields (chat-4.9, docs/contract/chat.md 2.H). */
@Injectable()
export class ProfileFieldsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly profiles: ChangeProfileFieldValues,
  ) {}

  /** Lists the custom profile fields of the realm in the order set by administrators. */
  async list(actor: ChatActor): Promise<{ custom_fields: WireProfileField[] }> {
    return { custom_fields: await listProfileFields(this.database, actor.realmId) };
  }

  /**
   * Adds a profile field.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  add(actor: ChatActor, sent: RequestedProfileField & { readonly field_type: number }): Promise<{ id: number }> {
    return this.#changeInTransaction(actor, async (tx, fields) => {
      return {
        id: await addProfileField(tx, actor.realmId, toRequestedProfileField(sent.field_type, sent, null, fields)),
      };
    });
  }

  /**
   * Changes a profile field.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  update(actor: ChatActor, fieldId: number, sent: RequestedProfileField): Promise<void> {
    return this.#changeInTransaction(actor, async (tx, fields) => {
      const before = getProfileField(fields, fieldId);
      const others = fields.filter(({ id }) => id !== fieldId);
      const field = toRequestedProfileField(before.type, sent, before, others);
      await updateProfileField(tx, fieldId, field);
      if (field.type !== profileFieldTypeNumbers.dropdown || field.fieldData === before.field_data) return;
      // Values that are no longer among the choices are removed.
      const userIds = await removeUnlistedProfileValues(tx, fieldId, listChoiceKeys(field.fieldData));
      await this.profiles.emitRemovedValues(tx, actor.realmId, fieldId, userIds);
    });
  }

  /**
   * Removes a profile field.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  remove(actor: ChatActor, fieldId: number): Promise<void> {
    return this.#changeInTransaction(actor, async (tx, fields) => {
      getProfileField(fields, fieldId);
      await this.profiles.emitRemovedValues(
        tx,
        actor.realmId,
        fieldId,
        await removeUnlistedProfileValues(tx, fieldId, []),
      );
      await removeProfileField(tx, fieldId);
    });
  }

  /**
   * Changes the order of the profile fields.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL; BAD_REQUEST unless `order` contains each field once
   */
  reorder(actor: ChatActor, order: readonly number[]): Promise<void> {
    return this.#changeInTransaction(actor, async (tx, fields) => {
      const named = new Set(order);
      const isWhole = named.size === order.length && fields.every(({ id }) => named.has(id));
      if (!isWhole || order.length !== fields.length) throw createBadRequestError('Invalid order mapping.');
      await storeProfileFieldOrder(tx, order);
    });
  }

  /**
   * Runs a change of the realm's profile fields in a transaction, and emits an event with all profile fields to all
   * users. Concurrent changes run one after another.
   */
  #changeInTransaction<T>(actor: ChatActor, run: (tx: Tx, fields: WireProfileField[]) => Promise<T>): Promise<T> {
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      requireAdmin(await loadActorRights(tx, actor));
      await lockProfileFields(tx, actor.realmId, 'exclusive');
      const response = await run(tx, await listProfileFields(tx, actor.realmId));
      const payload = { fields: await listProfileFields(tx, actor.realmId) };
      this.events.write(tx, actor.realmId, profileFieldsEvent, { audience: { all: true }, payload });
      return response;
    });
  }
}

function getProfileField(fields: readonly WireProfileField[], fieldId: number): WireProfileField {
  const field = fields.find(({ id }) => id === fieldId);
  if (field === undefined) throw createBadRequestError(`Field id ${fieldId} not found.`);
  return field;
}
