import { z } from 'zod';
import type { Tx } from '@switchboard/database';
import type { ChatEvents } from '../../events/chat-events.js';
import { defineEvent } from '../../events/define-event-type.js';
import { listAdministratorIds } from '../../core/users/index.js';

/**
 * Event without data for users who manage changed invitations. Their clients request the list of invitations again
 * (docs/contract/chat.md 3.4).
 */
const invitesChangedEvent = defineEvent({
  name: 'invites_changed',
  audience: 'Administrators, and the users who sent the invitations.',
  payload: z.strictObject({}),
}).withVariant({ type: 'invites_changed', fields: {}, render: () => ({}) });

/** All invitation events. */
export const invitationEvents = [invitesChangedEvent];

/** Notifies administrators and the given inviters that invitations changed. */
export async function emitInvitesChanged(
  events: ChatEvents,
  tx: Tx,
  realmId: number,
  inviterIds: readonly number[],
): Promise<void> {
  const users = [...new Set([...(await listAdministratorIds(tx, realmId)), ...inviterIds])];
  events.write(tx, realmId, invitesChangedEvent, { audience: { users }, payload: {} });
}
