import { setTimeout as sleep } from 'node:timers/promises';
import { computeMedian } from '../../../measure-load.js';
import type { MeasuredOperation } from '../../measured-operation.js';
import {
  specialChannelNumbers,
  getChannelName,
  firstOrdinaryChannelNumber,
  firstOrdinaryUserNumber,
  specialUserNumbers,
} from '../generated-users.js';
import type { MeasuredChatService } from '../measured-chat-service.js';

const messageSenderUserNumber = firstOrdinaryUserNumber;
const messageReaderUserNumber = firstOrdinaryUserNumber + 1;

const createAllUsersChannelMessage = (world: MeasuredChatService, content: string) => ({
  type: 'stream',
  to: world.ids.channel(specialChannelNumbers.full),
  topic: 'news',
  content,
});

/**
 * Returns an operation on a message that all users received. A new message is sent before each run, and the id of the
 * message is passed to the run.
 */
function createOperationOnMessageToAll(
  name: string,
  work: (world: MeasuredChatService, id: number, run: number) => Promise<unknown>,
) {
  let id = 0;
  return {
    name,
    runs: 6,
    before: async (world, run) => {
      id = await world.postMessage(messageSenderUserNumber, createAllUsersChannelMessage(world, `${name} ${run}`));
    },
    run: async (world, run) => {
      await work(world, id, run);
    },
  } satisfies MeasuredOperation<MeasuredChatService>;
}

async function enableReadReceipts(world: MeasuredChatService): Promise<void> {
  await world.sendRequest(specialUserNumbers.administrator, 'PATCH', '/realm', { enable_read_receipts: true });
}

const presencePingsPerSecond = 200;
const presencePingDurationSeconds = 5;

async function measurePresenceReportTimes(world: MeasuredChatService): Promise<number> {
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const ping = async (n: number): Promise<void> => {
    const began = performance.now();
    await world.sendRequest(n, 'POST', '/users/me/presence', {
      status: 'active',
      ping_only: true,
      new_user_input: true,
    });
    times.push(performance.now() - began);
  };
  for (let at = 0; at < presencePingsPerSecond * presencePingDurationSeconds; at += 1) {
    pending.push(ping(firstOrdinaryUserNumber + (at % Math.min(2000, world.size.people - firstOrdinaryUserNumber))));
    await sleep(1000 / presencePingsPerSecond);
  }
  await Promise.all(pending);
  return computeMedian(times);
}

/** Id of the message that the measured operation edits many times. */
let editedMessageId = 0;

/** Measured operations that send messages, or change messages that all users received. */
export const messageSendOperations: readonly MeasuredOperation<MeasuredChatService>[] = [
  {
    name: 'send to a channel',
    run: async (world, run) => {
      const to = world.ids.channel(firstOrdinaryChannelNumber);
      await world.postMessage(messageSenderUserNumber, {
        type: 'stream',
        to,
        topic: 'topic 9',
        content: `message ${run}`,
      });
    },
  },
  {
    name: 'send to the long topic',
    run: async (world, run) => {
      const to = world.ids.channel(specialChannelNumbers.long);
      await world.postMessage(messageSenderUserNumber, {
        type: 'stream',
        to,
        topic: 'long',
        content: `message ${run}`,
      });
    },
  },
  {
    name: 'send a direct message',
    run: async (world, run) => {
      await world.postMessage(messageSenderUserNumber, {
        type: 'direct',
        to: [world.ids.user(messageReaderUserNumber)],
        content: `message ${run}`,
      });
    },
  },
  {
    name: 'send to all people, few of them active',
    runs: 8,
    run: async (world, run) => {
      await world.postMessage(messageSenderUserNumber, createAllUsersChannelMessage(world, `message ${run}`));
    },
  },
  {
    name: 'send to all people, who are mentioned',
    runs: 3,
    run: async (world) => {
      await world.postMessage(specialUserNumbers.administrator, createAllUsersChannelMessage(world, '@**all** hello'));
    },
  },
  createOperationOnMessageToAll('edit a message to all people', (world, id, run) =>
    world.sendRequest(messageSenderUserNumber, 'PATCH', `/messages/${id}`, { content: `edited ${run}` }),
  ),
  createOperationOnMessageToAll('react to a message to all people', (world, id) =>
    world.sendRequest(messageReaderUserNumber, 'POST', `/messages/${id}/reactions`, { emoji_name: 'tada' }),
  ),
  {
    name: 'read receipts of a message to all people',
    before: (world, run) => (run === 0 ? enableReadReceipts(world) : Promise.resolve()),
    run: async (world) => {
      const id = await world.findMessageId(
        `m.recipient_id = ${world.ids.channelRecipient(specialChannelNumbers.full)}`,
      );
      await world.sendRequest(messageReaderUserNumber, 'GET', `/messages/${id}/read_receipts`);
    },
  },
  createOperationOnMessageToAll('delete a message to all people', (world, id) =>
    world.sendRequest(specialUserNumbers.administrator, 'DELETE', `/messages/${id}`),
  ),
  {
    name: 'typing in the full channel',
    run: async (world) => {
      const at = { type: 'stream', stream_id: world.ids.channel(specialChannelNumbers.full), topic: 'news' };
      await world.sendRequest(messageSenderUserNumber, 'POST', '/typing', { ...at, op: 'start' });
    },
  },
  {
    name: 'history of a message with 200 edits',
    runs: 4,
    before: async (world, run) => {
      if (run > 0) return;
      const id = await world.postMessage(messageSenderUserNumber, {
        ...createAllUsersChannelMessage(world, 'edited often'),
        topic: 'edited',
        to: world.ids.channel(specialChannelNumbers.big),
      });
      for (let edit = 0; edit < 200; edit += 1) {
        await world.sendRequest(messageSenderUserNumber, 'PATCH', `/messages/${id}`, {
          content: `edit ${edit} ${'text '.repeat(50)}`,
        });
      }
      editedMessageId = id;
    },
    run: async (world) => {
      await world.sendRequest(messageReaderUserNumber, 'GET', `/messages/${editedMessageId}/history`);
    },
  },
  {
    name: 'page with a message of 200 edits',
    run: async (world) => {
      const narrow = [
        { operator: 'channel', operand: getChannelName(specialChannelNumbers.big) },
        { operator: 'topic', operand: 'edited' },
      ];
      await world.sendRequest(messageReaderUserNumber, 'GET', '/messages', {
        anchor: 'newest',
        num_before: 50,
        num_after: 0,
        narrow,
      });
    },
  },
  { name: `presence at ${presencePingsPerSecond} pings a second`, runs: 1, run: measurePresenceReportTimes },
];
