import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { mapWithPauses } from '../../core/messages/index.js';
import type { TopicChanges } from './topic-changes.repository.js';
import type { TopicWithNewestMessage, ShownTopic } from './topics.repository.js';

/** Estimated memory per topic in bytes: the object with the topic's name, and its part of the JSON texts. */
const cacheBytesPerTopic = 320;

/** Comparison of a cached topic list with the current state of the channel. */
export interface TopicComparison {
  /** Topics whose version is unchanged, with their newest messages; null if all topics are unchanged. */
  readonly kept: readonly TopicWithNewestMessage[] | null;
  /** Ids of topics that must be read again. */
  readonly staleIds: readonly number[];
}

/** Topics of a channel that have messages, as a cached list. */
export class TopicList {
  /** The topics, newest first. */
  readonly topics: readonly TopicWithNewestMessage[];
  readonly #texts = new Map<string, Promise<JsonBytes>>();

  /** @param topics topics in any order; fast if most of them are already ordered */
  constructor(topics: readonly TopicWithNewestMessage[]) {
    this.topics = topics.toSorted((a, b) => b.maxId - a.maxId);
  }

  /** Estimated memory of the list, in bytes. */
  get byteLength(): number {
    return this.topics.length * cacheBytesPerTopic;
  }

  /**
   * Returns the topics as a JSON array; see {@link writeTopicsJson}.
   *
   * @param emptyName the name to show for the empty topic
   */
  toJson(emptyName: string): Promise<JsonBytes> {
    const known = this.#texts.get(emptyName);
    if (known !== undefined) return known;
    const text = writeTopicsJson(this.topics, emptyName);
    this.#texts.set(emptyName, text);
    return text;
  }

  /** Compares the list with the current versions and newer messages of the channel's topics. */
  async compare({ versions, messages }: TopicChanges): Promise<TopicComparison> {
    const newest = new Map(messages.toReversed().map((message) => [message.topicId, message]));
    const changed: TopicWithNewestMessage[] = [];
    const unchanged: TopicWithNewestMessage[] = [];
    await mapWithPauses(this.topics, (topic) => {
      if (versions.get(topic.id) !== topic.version) return;
      const message = newest.get(topic.id);
      if (message === undefined || message.id <= topic.maxId) unchanged.push(topic);
      else changed.push({ ...topic, maxId: message.id, name: message.name });
    });
    const isSame = unchanged.length === this.topics.length;
    const kept = [...changed, ...unchanged];
    return { kept: isSame ? null : kept, staleIds: await excludeId(versions, kept) };
  }
}

async function excludeId(
  versions: ReadonlyMap<number, number>,
  kept: readonly TopicWithNewestMessage[],
): Promise<number[]> {
  if (versions.size === kept.length) return [];
  const keptIds = new Set(await mapWithPauses(kept, ({ id }) => id));
  return [...versions.keys()].filter((id) => !keptIds.has(id));
}

/** Number of topics in one chunk of a JSON text. Writing a chunk takes about 1 ms. */
const topicsPerJsonChunk = 2_000;

/**
 * Writes topics as a JSON array, as `GET /users/me/{stream_id}/topics` shows them. Other work can run between two
 * chunks.
 *
 * @param emptyName the name to show for the empty topic
 */
export async function writeTopicsJson(topics: readonly ShownTopic[], emptyName: string): Promise<JsonBytes> {
  const count = Math.ceil(topics.length / topicsPerJsonChunk);
  const places = Array.from({ length: count }, (_, index) => index * topicsPerJsonChunk);
  const chunks = await mapWithPauses(places, (from) => {
    const parts = topics
      .slice(from, from + topicsPerJsonChunk)
      .map(({ name, maxId }) => `{"name":${JSON.stringify(name === '' ? emptyName : name)},"max_id":${maxId}}`);
    return Buffer.from(`${from === 0 ? '[' : ','}${parts.join(',')}`);
  });
  return new JsonBytes([...chunks, Buffer.from(count === 0 ? '[]' : ']')]);
}
