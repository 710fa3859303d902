import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { mapWithEventLoopPauses } from '../../core/messages/index.js';
import type { TopicChanges } from './topic-changes.repository.js';
import type { TopicWithNewestMessage, TopicShownToUser } from './topics.repository.js';

/**
 * Estimated memory per cached topic in bytes: the topic object with the name, and the topic's share of the cached JSON
 * texts.
 */
const estimatedBytesPerCachedTopic = 320;

/** Comparison of a cached topic list with the current topics of the channel. */
export interface CachedTopicListComparison {
  /** Cached topics whose version is unchanged, updated with newer messages. Null if no cached topic changed. */
  readonly kept: readonly TopicWithNewestMessage[] | null;
  /** Ids of cached or new topics that must be read from the database. */
  readonly staleIds: readonly number[];
}

/** Cached list of the topics of a channel that have messages. */
export class PackedTopicList {
  /** Topics of the channel, sorted by newest message in descending order. */
  readonly topics: readonly TopicWithNewestMessage[];
  readonly #texts = new Map<string, Promise<JsonBytes>>();

  /** @param topics topics in any order; fast if most of them are already ordered */
  constructor(topics: readonly TopicWithNewestMessage[]) {
    this.topics = topics.toSorted((a, b) => b.maxId - a.maxId);
  }

  /** Estimated memory that the topic list uses, in bytes. */
  get byteLength(): number {
    return this.topics.length * estimatedBytesPerCachedTopic;
  }

  /**
   * Returns the topics as a JSON array; see {@link writeTopicsJson}.
   *
   * @param emptyName the displayed name of the topic without a name
   */
  toJson(emptyName: string): Promise<JsonBytes> {
    const known = this.#texts.get(emptyName);
    if (known !== undefined) return known;
    const text = writeTopicsJson(this.topics, emptyName);
    this.#texts.set(emptyName, text);
    return text;
  }

  /** Compares the cached topic list with the current versions of the channel's topics and with newer messages. */
  async compareWithTopicChanges({ versions, messages }: TopicChanges): Promise<CachedTopicListComparison> {
    const newest = new Map(messages.toReversed().map((message) => [message.topicId, message]));
    const changed: TopicWithNewestMessage[] = [];
    const unchanged: TopicWithNewestMessage[] = [];
    await mapWithEventLoopPauses(this.topics, (topic) => {
      if (versions.get(topic.id) !== topic.version) return;
      const message = newest.get(topic.id);
      if (message === undefined || message.id <= topic.maxId) unchanged.push(topic);
      else changed.push({ ...topic, maxId: message.id, name: message.name });
    });
    const isSame = unchanged.length === this.topics.length;
    const kept = [...changed, ...unchanged];
    return { kept: isSame ? null : kept, staleIds: await listChangedTopicIds(versions, kept) };
  }
}

async function listChangedTopicIds(
  versions: ReadonlyMap<number, number>,
  kept: readonly TopicWithNewestMessage[],
): Promise<number[]> {
  if (versions.size === kept.length) return [];
  const keptIds = new Set(await mapWithEventLoopPauses(kept, ({ id }) => id));
  return [...versions.keys()].filter((id) => !keptIds.has(id));
}

/** Number of topics that are converted to one chunk of JSON text. The conversion of one chunk takes about 1 ms. */
const topicsPerJsonChunk = 2_000;

/**
 * Writes topics as a JSON array, as `GET /users/me/{stream_id}/topics` shows them. Other work can run between two
 * chunks.
 *
 * @param emptyName the name to show for the empty topic
 */
export async function writeTopicsJson(topics: readonly TopicShownToUser[], emptyName: string): Promise<JsonBytes> {
  const count = Math.ceil(topics.length / topicsPerJsonChunk);
  const places = Array.from({ length: count }, (_, index) => index * topicsPerJsonChunk);
  const chunks = await mapWithEventLoopPauses(places, (from) => {
    const parts = topics
      .slice(from, from + topicsPerJsonChunk)
      .map(({ name, maxId }) => `{"name":${JSON.stringify(name === '' ? emptyName : name)},"max_id":${maxId}}`);
    return Buffer.from(`${from === 0 ? '[' : ','}${parts.join(',')}`);
  });
  return new JsonBytes([...chunks, Buffer.from(count === 0 ? '[]' : ']')]);
}
