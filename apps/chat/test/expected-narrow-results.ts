import type { Tx } from '@switchboard/database';

/** One term (filter) of a narrow, whose names of objects are replaced by ids. */
export interface OracleTerm {
  readonly operator: string;
  readonly operand: string | number | number[];
  readonly negated: boolean;
}

/** The user who requests a page of messages. The field `id` is null for a request without credentials. */
export interface OracleReader {
  readonly id: number | null;
  readonly isGuest: boolean;
}

interface OracleMessage {
  readonly id: number;
  readonly sender_id: number;
  readonly channel_id: number | null;
  readonly participant_ids: number[];
  readonly topic: string;
  readonly topic_key: string;
  readonly content: string;
  readonly has_link: boolean;
  readonly has_attachment: boolean;
  readonly has_image: boolean;
  readonly reactions: number;
  readonly sent_ms: number;
}

interface OracleChannel {
  readonly id: number;
  readonly is_private: boolean;
  readonly history_public_to_subscribers: boolean;
  readonly is_web_public: boolean;
  readonly is_archived: boolean;
}

const bits = { read: 1, starred: 2, mentioned: 8 | 16 | 32 | 256, personal: 8 | 256, alerted: 64 };

/**
 * Reference implementation of narrows (message filters, docs/contract/chat.md 5.4) for tests. The implementation
 * filters the messages of a realm in memory one by one. Tests compare the results with the service's results.
 */
export class NarrowOracle {
  private constructor(
    readonly messages: readonly OracleMessage[],
    readonly channels: readonly OracleChannel[],
    private readonly flags: ReadonlyMap<string, number>,
    private readonly muted: ReadonlyMap<string, boolean>,
    private readonly policies: ReadonlyMap<string, number>,
  ) {}

  static async load(tx: Tx): Promise<NarrowOracle> {
    const messages = await tx.query<OracleMessage>(
      `SELECT m.id, m.sender_id, r.channel_id, r.participant_ids,
         coalesce(m.topic, t.topic, '') AS topic, coalesce(t.topic_key, '') AS topic_key, x.content, m.has_link,
         m.has_attachment, m.has_image, (SELECT count(*) FROM reactions WHERE message_id = m.id) AS reactions,
         (extract(epoch FROM m.date_sent) * 1000)::bigint AS sent_ms
       FROM messages m JOIN message_texts x ON x.message_id = m.id JOIN recipients r ON r.id = m.recipient_id
       LEFT JOIN topics t ON t.id = m.topic_id ORDER BY m.id`,
    );
    const channels = await tx.query<OracleChannel>('SELECT * FROM channels ORDER BY id');
    const flags = await tx.query<{ key: string; value: number }>(
      `SELECT user_id || ' ' || message_id AS key, flags AS value FROM user_messages`,
    );
    const muted = await tx.query<{ key: string; value: boolean }>(
      `SELECT user_id || ' ' || channel_id AS key, is_muted AS value FROM subscriptions WHERE is_active`,
    );
    const policies = await tx.query<{ key: string; value: number }>(
      `SELECT user_id || ' ' || channel_id || ' ' || topic_key AS key, visibility_policy AS value FROM user_topics`,
    );
    const mapOf = <V>(rows: readonly { key: string; value: V }[]) =>
      new Map(rows.map(({ key, value }) => [key, value]));
    return new NarrowOracle(messages.rows, channels.rows, mapOf(flags.rows), mapOf(muted.rows), mapOf(policies.rows));
  }

  flagsOf(reader: OracleReader, message: OracleMessage): number | undefined {
    return this.flags.get(`${reader.id} ${message.id}`);
  }

  isReadable(reader: OracleReader, channel: OracleChannel): boolean {
    if (channel.is_web_public || this.muted.has(`${reader.id} ${channel.id}`)) return true;
    return reader.id !== null && !reader.isGuest && !channel.is_private;
  }

  /** Returns all messages that match a narrow, in ascending order of message ids. */
  select(reader: OracleReader, terms: readonly OracleTerm[]): OracleMessage[] {
    const isWhole = this.#isWholeHistory(reader, terms);
    return this.messages.filter((message) => {
      if (!isWhole && !this.#isReceived(reader, message)) return false;
      return terms.every((term) => this.#fits(reader, term, message));
    });
  }

  /** Returns the message that the anchor `first_unread` selects for a narrow. */
  firstUnread(reader: OracleReader, terms: readonly OracleTerm[]): OracleMessage | undefined {
    const namesChannel = terms.some(({ operator, negated }) => operator === 'channel' && !negated);
    return this.select(reader, terms).find((message) => {
      const flags = this.flagsOf(reader, message);
      if (flags === undefined || (flags & bits.read) !== 0 || !this.#isReceived(reader, message)) return false;
      return namesChannel ? this.#policy(reader, message) !== 1 : !this.#isMuted(reader, message);
    });
  }

  #channel({ channel_id: id }: OracleMessage): OracleChannel | undefined {
    return this.channels.find((channel) => channel.id === id);
  }

  #isReceived(reader: OracleReader, message: OracleMessage): boolean {
    if (this.flagsOf(reader, message) === undefined) return false;
    const channel = this.#channel(message);
    return channel === undefined || this.isReadable(reader, channel);
  }

  #isWholeHistory(reader: OracleReader, terms: readonly OracleTerm[]): boolean {
    if (terms.some(({ operator }) => operator === 'is')) return false;
    return terms.some(({ operator, operand, negated }) => {
      if (negated) return false;
      if (operator === 'channels') return operand === 'web-public' || (operand === 'public' && !reader.isGuest);
      const channel = operator === 'channel' ? this.channels.find(({ id }) => id === operand) : undefined;
      if (channel === undefined) return false;
      return this.isReadable(reader, channel) && (!channel.is_private || channel.history_public_to_subscribers);
    });
  }

  #policy(reader: OracleReader, message: OracleMessage): number | undefined {
    return this.policies.get(`${reader.id} ${message.channel_id} ${message.topic_key}`);
  }

  #isMuted(reader: OracleReader, message: OracleMessage): boolean {
    const policy = this.#policy(reader, message);
    return policy === undefined ? (this.muted.get(`${reader.id} ${message.channel_id}`) ?? false) : policy === 1;
  }

  /** Returns true if the given term of a narrow matches the message. The result is inverted for negated terms. */
  #fits(reader: OracleReader, term: OracleTerm, message: OracleMessage): boolean {
    // This term matches every message, even if it is negated.
    if (term.operator === 'in' && term.operand === 'all') return true;
    return this.#matches(reader, term, message) !== term.negated;
  }

  #matches(reader: OracleReader, { operator, operand }: OracleTerm, message: OracleMessage): boolean {
    const channel = this.#channel(message);
    const people = new Set(message.participant_ids);
    const named = [...new Set([operand, reader.id].flat().filter((id): id is number => typeof id === 'number'))];
    switch (operator) {
      case 'channel':
        return message.channel_id === operand;
      case 'channels':
        return channel !== undefined && this.#isOfKind(reader, String(operand), channel);
      case 'topic':
        return channel !== undefined && message.topic_key === String(operand).toLowerCase();
      case 'dm':
        return channel === undefined && people.size === named.length && named.every((id) => people.has(id));
      case 'dm-with':
        return channel === undefined && named.every((id) => people.has(id));
      case 'group-pm-with':
        return channel === undefined && people.size > 2 && named.every((id) => people.has(id));
      case 'sender':
        return message.sender_id === operand;
      case 'mentions':
        return ((this.flags.get(`${String(operand)} ${message.id}`) ?? 0) & bits.personal) !== 0;
      case 'is':
        return this.#is(reader, String(operand), message);
      case 'has':
        if (operand === 'reaction') return message.reactions > 0;
        return message[`has_${operand as 'link'}`];
      case 'id':
        return message.id === operand;
      case 'search':
        return `${message.topic} ${message.content}`.includes(String(operand).replaceAll('"', ''));
      case 'in':
        return !this.#isMuted(reader, message);
      default:
        throw new Error(`The oracle does not know ${operator}`);
    }
  }

  #isOfKind(reader: OracleReader, kind: string, channel: OracleChannel): boolean {
    if (kind === 'archived') return channel.is_archived;
    if (kind === 'web-public') return channel.is_web_public;
    if (channel.is_private) return false;
    return !reader.isGuest || channel.is_web_public || this.muted.has(`${reader.id} ${channel.id}`);
  }

  #is(reader: OracleReader, operand: string, message: OracleMessage): boolean {
    const flags = this.flagsOf(reader, message) ?? 0;
    switch (operand) {
      case 'dm':
        return message.channel_id === null;
      case 'unread':
        return (flags & bits.read) === 0;
      case 'starred':
      case 'mentioned':
      case 'alerted':
        return (flags & bits[operand]) !== 0;
      case 'resolved':
        return message.channel_id !== null && message.topic.startsWith('✔ ');
      case 'followed':
        return this.#policy(reader, message) === 3;
      case 'muted':
        return this.#isMuted(reader, message);
      default:
        throw new Error(`The oracle does not know is:${operand}`);
    }
  }
}
