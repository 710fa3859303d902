import { z } from 'zod';
import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { defineEventType } from '../../events/define-event-type.js';
import { listAdministratorIds } from '../../core/users/index.js';

/**
 * Event without data about changed invitations, for the users who manage these invitations. Clients then request the
 * list of invitations again (docs/contract/chat.md 3.4).
 */
const invitesChangedEvent = defineEventType({
  name: 'invites_changed',
  audience: 'Administrators, and the users who sent the invitations.',
  payload: z.strictObject({}),
}).addVariant({ type: 'invites_changed', fields: {}, render: () => ({}) });

export const invitationEvents = [invitesChangedEvent];

/** Emits an event to administrators and to the given inviting users, because invitations have changed. */
export async function emitInvitesChanged(
  events: ChatEventWriter,
  tx: Tx,
  realmId: number,
  inviterIds: readonly number[],
): Promise<void> {
  const users = [...new Set([...(await listAdministratorIds(tx, realmId)), ...inviterIds])];
  events.write(tx, realmId, invitesChangedEvent, { audience: { users }, payload: {} });
}
