import { z } from 'zod';
import type { Tx } from '@switchboard/database';
import type { ChatEvents } from '../../events/chat-events.js';
import { defineEvent } from '../../events/event-type.js';
import { listAdmins } from '../../core/users/index.js';

/** Invitations have changed: clients that show them request them again (docs/contract/chat.md 3.4). */
const invitesChangedEvent = defineEvent({
  name: 'invites_changed',
  audience: 'Administrators, and the users who sent the invitations.',
  payload: z.strictObject({}),
}).as({ type: 'invites_changed', fields: {}, render: () => ({}) });

/** The events of this module. */
export const invitationEvents = [invitesChangedEvent];

/** Emits to administrators and to these inviters that their invitations changed. */
export async function tellInvitesChanged(
  events: ChatEvents,
  tx: Tx,
  realmId: number,
  inviterIds: readonly number[],
): Promise<void> {
  const users = [...new Set([...(await listAdmins(tx, realmId)), ...inviterIds])];
  events.write(tx, realmId, invitesChangedEvent, { audience: { users }, payload: {} });
}
