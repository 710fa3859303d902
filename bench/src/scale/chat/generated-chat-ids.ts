import { createHash } from 'node:crypto';
import type pg from 'pg';
import { GeneratedMessageHistory } from './generated-messages.js';
import type { GeneratedChatSize } from './chat-sizes.js';

/** First id of generated rows, which is greater than all ids that the admin commands have assigned. */
const firstGeneratedRowId = 1000;

/** Recipients of a generated direct message: the user ids of the recipients, and the id of their conversation. */
interface DirectMessageRecipients {
  readonly id: number;
  readonly key: string;
  readonly userIds: readonly number[];
}

interface GeneratedChannelTopic {
  readonly id: number;
  readonly channel: number;
  readonly name: string;
}

/** Ids of the generated chat rows, and of the rows to which they refer. */
export class GeneratedChatIds {
  #directRecipientsByKey: Map<string, DirectMessageRecipients> | undefined;
  #topics: Map<string, GeneratedChannelTopic> | undefined;

  private constructor(
    readonly size: GeneratedChatSize,
    readonly realmId: number,
    readonly clientId: number,
    readonly roleGroups: ReadonlyMap<string, number>,
    /** Ids of the user groups that have a channel's permissions, by the column name of the permission. */
    readonly channelGroups: Readonly<Record<string, number>>,
    /** Time of the newest generated message, in milliseconds since 1970. */
    readonly filledAt: number,
  ) {}

  /** Reads the ids of the realm that the admin commands created. */
  static async readCreatedRealmIds(client: pg.Client, size: GeneratedChatSize): Promise<GeneratedChatIds> {
    const one = async <R extends pg.QueryResultRow>(text: string): Promise<R> => {
      const { rows } = await client.query<R>(text);
      if (rows[0] === undefined) throw new Error(`no row: ${text}`);
      return rows[0];
    };
    await client.query(`INSERT INTO clients (name) VALUES ('scale') ON CONFLICT DO NOTHING`);
    const { id: clientId } = await one<{ id: number }>(`SELECT id FROM clients WHERE name = 'scale'`);
    const { id: realmId, hour } = await one<{ id: number; hour: Date }>(
      `SELECT id, date_trunc('hour', date_created) AS hour FROM realms ORDER BY id LIMIT 1`,
    );
    const general = await one<Record<string, number>>('SELECT * FROM channels ORDER BY id LIMIT 1');
    const { rows } = await client.query<{ name: string; id: number }>(
      `SELECT name, id FROM user_groups WHERE kind = 'system'`,
    );
    const permissions = Object.entries(general).filter(([name]) => /^can_.*_group_id$/.test(name));
    const roleGroups = new Map(rows.map(({ name, id }) => [name, id]));
    return new GeneratedChatIds(size, realmId, clientId, roleGroups, Object.fromEntries(permissions), hour.getTime());
  }

  readonly user = (n: number): number => firstGeneratedRowId + n;
  readonly channel = (c: number): number => firstGeneratedRowId + c;
  readonly channelRecipient = (c: number): number => firstGeneratedRowId + c;
  readonly message = (i: number): number => firstGeneratedRowId + i;

  getDirectMessageRecipientId(people: readonly number[]): number {
    return this.#allDirectRecipients().get(people.join())?.id ?? 0;
  }

  listDirectMessageRecipients(): Iterable<DirectMessageRecipients> {
    return this.#allDirectRecipients().values();
  }

  getChannelTopicId(channel: number, name: string): number {
    return this.#allTopics().get(`${channel} ${name}`)?.id ?? 0;
  }

  listChannelTopics(): Iterable<GeneratedChannelTopic> {
    return this.#allTopics().values();
  }

  #allTopics(): Map<string, GeneratedChannelTopic> {
    this.#topics ??= this.#findTopics();
    return this.#topics;
  }

  #findTopics(): Map<string, GeneratedChannelTopic> {
    const found = new Map<string, GeneratedChannelTopic>();
    const conversation = new GeneratedMessageHistory(this.size);
    for (let i = 0; i < this.size.messages; i += 1) {
      const { channel, topic: name } = conversation.generateMessage(i);
      if (channel === null || found.has(`${channel} ${name}`)) continue;
      found.set(`${channel} ${name}`, { id: firstGeneratedRowId + found.size, channel, name });
    }
    return found;
  }

  #allDirectRecipients(): Map<string, DirectMessageRecipients> {
    this.#directRecipientsByKey ??= this.#findDirectRecipients();
    return this.#directRecipientsByKey;
  }

  #findDirectRecipients(): Map<string, DirectMessageRecipients> {
    const found = new Map<string, DirectMessageRecipients>();
    const conversation = new GeneratedMessageHistory(this.size);
    for (let i = 0; i < this.size.messages; i += 1) {
      const people = conversation.listDirectMessageUsers(i);
      if (people.length === 0 || found.has(people.join())) continue;
      const userIds = people.map(this.user);
      const key = createHash('sha256').update(userIds.join()).digest('hex');
      found.set(people.join(), { id: firstGeneratedRowId + this.size.channels + found.size, key, userIds });
    }
    return found;
  }
}
