import { realmDeactivatedFailureReason } from '../../../../apps/chat/src/features/scheduled-messages/delivery/mark-message-failed.js';
import { scheduledDeliveryNotificationName } from '../../../../apps/chat/src/features/scheduled-messages/wake-scheduled-message-worker.js';
import { pause } from '../../../faults/abortable-pause.js';
import type { RacePair, RaceResponse } from '../../race-pair.js';
import type { ChatWorld, Person } from '../race-test-chat-data.js';

type ChatRacePair = RacePair<ChatWorld>;

const path = 'scheduled_messages';

/**
 * A scheduled message whose time is far in the future. No worker sends the message before {@link deliver} is called.
 */
interface Scheduled {
  readonly id: number;
  readonly content: string;
}

async function schedule(world: ChatWorld, author: Person, channelId: number): Promise<Scheduled> {
  const content = world.newName('scheduled message');
  const form = { type: 'channel', to: channelId, topic: 'race', content, scheduled_delivery_timestamp: 4_000_000_000 };
  const { scheduled_message_id: id } = await world.create(author, 'post', path, form);
  return { id: Number(id), content };
}

/**
 * Returns a function that makes a scheduled message due, and that waits until the message was sent, has failed or was
 * deleted.
 */
const deliver =
  (world: ChatWorld, { id }: Scheduled) =>
  async (): Promise<RaceResponse> => {
    const due = "now() - interval '1 second'";
    await world.rows(`UPDATE scheduled_messages SET deliver_at = ${due}, attempt_at = ${due} WHERE id = $1`, [id]);
    await world.invalidate(scheduledDeliveryNotificationName);
    const waiting = 'SELECT FROM scheduled_messages WHERE id = $1 AND failure IS NULL';
    while ((await world.rows(waiting, [id])).length > 0) await pause(5);
    return { status: 200, body: null };
  };

/**
 * Returns the contents of the sent messages that stem from a scheduled message, and the failure of the scheduled
 * message (null without failure).
 */
async function outcomeOf(world: ChatWorld, { id, content }: Scheduled) {
  const sent = await world.rows<{ content: string }>(
    "SELECT content FROM message_texts WHERE content = $1 OR content = $1 || ', changed'",
    [content],
  );
  const [row] = await world.rows<{ failure: string }>('SELECT failure FROM scheduled_messages WHERE id = $1', [id]);
  return { sent: sent.map((one) => one.content), failure: row?.failure ?? null };
}

/**
 * Checks that the scheduled message either was sent once or has failed with the given reason. Returns a problem
 * otherwise.
 */
async function sentOrFailed(world: ChatWorld, scheduled: Scheduled, reason: string): Promise<readonly string[]> {
  const { sent, failure } = await outcomeOf(world, scheduled);
  const isRight = failure === null ? sent.length === 1 : sent.length === 0 && failure.startsWith(reason);
  return isRight ? [] : [`sent ${sent.length} times, with the failure ${failure}`];
}

/** Pairs of concurrent operations: a write, and the delivery of a scheduled message. */
export const scheduledMessagePairs: readonly ChatRacePair[] = [
  {
    slice: 'scheduled messages',
    title: 'a scheduled message is changed while it is sent',
    deletes: true,
    async arrange(world) {
      const { id: channelId } = await world.sharedChannel(['iago', 'hamlet']);
      const scheduled = await schedule(world, 'hamlet', channelId);
      const { id, content } = scheduled;
      return {
        writes: [
          () => world.write('hamlet', 'patch', `${path}/${id}`, { content: `${content}, changed` }),
          deliver(world, scheduled),
        ],
        async check([change]) {
          const expected = change.status === 200 ? [`${content}, changed`] : [content];
          const { sent } = await outcomeOf(world, scheduled);
          const isKnown = change.status === 200 || change.status === 404;
          return isKnown && sent.join() === expected.join() ? [] : [`${change.status}, but sent: ${sent.join()}`];
        },
      };
    },
  },
  {
    slice: 'scheduled messages',
    title: 'a scheduled message is deleted while it is sent',
    deletes: true,
    async arrange(world) {
      const { id: channelId } = await world.sharedChannel(['iago', 'hamlet']);
      const scheduled = await schedule(world, 'hamlet', channelId);
      return {
        writes: [() => world.write('hamlet', 'delete', `${path}/${scheduled.id}`), deliver(world, scheduled)],
        async check([deletion]) {
          const { sent } = await outcomeOf(world, scheduled);
          const expected = { 200: 0, 404: 1 }[deletion.status];
          return sent.length === expected ? [] : [`${deletion.status}, and sent ${sent.length} times`];
        },
      };
    },
  },
  {
    slice: 'scheduled messages',
    title: 'a scheduled message is sent while its author is deactivated',
    deletes: true,
    async arrange(world) {
      const id = world.id('othello');
      await world.write('iago', 'post', `users/${id}/reactivate`);
      const { id: channelId } = await world.sharedChannel(['iago', 'hamlet', 'othello']);
      const scheduled = await schedule(world, 'othello', channelId);
      return {
        writes: [() => world.write('desdemona', 'delete', `users/${id}`), deliver(world, scheduled)],
        check: () => sentOrFailed(world, scheduled, 'Account is deactivated'),
      };
    },
  },
  {
    slice: 'scheduled messages',
    title: 'a scheduled message is sent while its channel is archived',
    deletes: true,
    async arrange(world) {
      const { id: channelId } = await world.newChannel(['iago', 'hamlet']);
      await world.newMessage('iago', channelId, 'race');
      const scheduled = await schedule(world, 'hamlet', channelId);
      return {
        writes: [() => world.write('iago', 'delete', `streams/${channelId}`), deliver(world, scheduled)],
        check: () => sentOrFailed(world, scheduled, 'Not authorized to send to channel'),
      };
    },
  },
  {
    slice: 'scheduled messages',
    title: 'a scheduled message is sent while the organization is deactivated',
    deletes: true,
    async arrange(world) {
      const { id: channelId } = await world.sharedChannel(['iago', 'hamlet']);
      const scheduled = await schedule(world, 'hamlet', channelId);
      return {
        writes: [() => world.write('desdemona', 'post', 'realm/deactivate'), deliver(world, scheduled)],
        async check([deactivation]) {
          const problems = await sentOrFailed(world, scheduled, realmDeactivatedFailureReason);
          await world.reactivateRealm();
          // A message that was refused is sent now.
          await deliver(world, scheduled)();
          const { sent } = await outcomeOf(world, scheduled);
          return [
            ...(deactivation.status === 200 ? problems : [`the deactivation got ${deactivation.status}`]),
            ...(sent.length === 1 ? [] : [`sent ${sent.length} times after the reactivation`]),
          ];
        },
      };
    },
  },
];
