import { JsonBytes } from '../../infra/http/json-bytes.js';
import type { TopicChanges } from './topic-changes.repository.js';
import type { ListedTopic } from './topics.repository.js';

/** Estimated memory per topic in bytes: the object with its name, and its part of the JSON texts. */
const bytesPerTopic = 320;

/** Comparison of a list with the current state of its channel. */
export interface TopicComparison {
  /** Topics whose version is the same, with their newest messages; null if all are unchanged. */
  readonly kept: readonly ListedTopic[] | null;
  /** Ids of topics that must be read again. */
  readonly staleIds: readonly number[];
}

/** Topics of a channel that have messages. */
export class TopicList {
  /** The topics, newest first. */
  readonly topics: readonly ListedTopic[];
  readonly #texts = new Map<string, JsonBytes>();

  constructor(topics: readonly ListedTopic[]) {
    this.topics = topics.toSorted((a, b) => b.maxId - a.maxId);
  }

  /** Estimated memory of the list, in bytes. */
  get byteLength(): number {
    return this.topics.length * bytesPerTopic;
  }

  /**
   * Returns the list as a JSON array, as `GET /users/me/{stream_id}/topics` shows it.
   *
   * @param emptyName the name to show for the empty topic
   */
  toJson(emptyName: string): JsonBytes {
    const known = this.#texts.get(emptyName);
    if (known !== undefined) return known;
    const parts = this.topics.map(
      ({ name, maxId }) => `{"name":${JSON.stringify(name === '' ? emptyName : name)},"max_id":${maxId}}`,
    );
    const text = JsonBytes.of(`[${parts.join(',')}]`);
    this.#texts.set(emptyName, text);
    return text;
  }

  /** Compares the list with the versions and newer messages of the channel's topics. */
  compare({ versions, messages }: TopicChanges): TopicComparison {
    const newest = new Map(messages.toReversed().map((message) => [message.topicId, message]));
    let isChanged = false;
    const kept: ListedTopic[] = [];
    for (const topic of this.topics) {
      const message = newest.get(topic.id);
      const isNewer = message !== undefined && message.id > topic.maxId;
      isChanged ||= isNewer || versions.get(topic.id) !== topic.version;
      if (versions.get(topic.id) !== topic.version) continue;
      kept.push(isNewer ? { ...topic, maxId: message.id, name: message.name } : topic);
    }
    return { kept: isChanged ? kept : null, staleIds: idsWithout(versions, kept) };
  }
}

function idsWithout(versions: ReadonlyMap<number, number>, kept: readonly ListedTopic[]): number[] {
  if (versions.size === kept.length) return [];
  const keptIds = new Set(kept.map(({ id }) => id));
  return [...versions.keys()].filter((id) => !keptIds.has(id));
}
