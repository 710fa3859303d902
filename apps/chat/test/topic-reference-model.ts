/** An entry of the edit history of a message, without the time of the edit. */
export interface ModelEdit {
  user_id: number;
  prev_topic?: string;
  topic?: string;
  prev_stream?: number;
  stream?: number;
  prev_content?: string;
}

/** A message of {@link TopicModel}. */
export interface ModelMessage {
  id: number;
  channel: number;
  topic: string;
  content: string;
  edits: ModelEdit[];
  /**
   * True if the message was moved to another topic or channel. Resolving or unresolving a topic does not count as a
   * move.
   */
  isMoved: boolean;
}

/** A request that moves messages to another channel or topic. */
export interface ModelMove {
  readonly id: number;
  readonly actor: number;
  readonly mode: 'change_one' | 'change_later' | 'change_all';
  readonly topic?: string;
  readonly channel?: number;
}

const keyOf = (topic: string): string => topic.toLowerCase();

/**
 * Simplified model of messages with an edit history, in which a topic is only a text. Tests compare the model's results
 * with the service's results.
 */
export class TopicModel {
  readonly messages = new Map<number, ModelMessage>();

  get(id: number): ModelMessage {
    const message = this.messages.get(id);
    if (message === undefined) throw new Error(`No message ${id}`);
    return message;
  }

  add(id: number, channel: number, topic: string, content: string): void {
    this.messages.set(id, { id, channel, topic, content, edits: [], isMoved: false });
  }

  edit(id: number, actor: number, content: string): void {
    const message = this.get(id);
    message.edits.unshift({ user_id: actor, prev_content: message.content });
    message.content = content;
  }

  move({ id, actor, mode, topic, channel }: ModelMove): void {
    const named = { ...this.get(id) };
    const isResolution =
      mode === 'change_all' &&
      (topic === `✔ ${named.topic}` || named.topic === `✔ ${topic ?? ''}`) &&
      channel === undefined;
    for (const message of this.inTopic(named.channel, named.topic)) {
      if (mode === 'change_one' ? message.id !== id : mode === 'change_later' && message.id < id) continue;
      const entry: ModelEdit = { user_id: actor };
      if (topic !== undefined && topic !== named.topic) Object.assign(entry, { prev_topic: message.topic, topic });
      if (channel !== undefined && channel !== named.channel) {
        Object.assign(entry, { prev_stream: message.channel, stream: channel });
      }
      message.edits.unshift(entry);
      message.isMoved ||= !isResolution;
      message.topic = entry.topic ?? message.topic;
      message.channel = entry.stream ?? message.channel;
    }
  }

  remove(id: number): void {
    this.messages.delete(id);
  }

  inTopic(channel: number, topic: string): ModelMessage[] {
    return this.messagesOfChannel(channel).filter((message) => keyOf(message.topic) === keyOf(topic));
  }

  /** Returns the messages of a channel, in ascending order of id. */
  messagesOfChannel(channel: number): ModelMessage[] {
    return [...this.messages.values()].filter((message) => message.channel === channel).toSorted((a, b) => a.id - b.id);
  }

  /**
   * Returns the topics of a channel, newest first. Each topic name is spelled like in the newest message of the topic.
   */
  topics(channel: number): { name: string; max_id: number }[] {
    const newest = new Map(
      this.messagesOfChannel(channel).map(({ id, topic }) => [keyOf(topic), { name: topic, max_id: id }]),
    );
    return [...newest.values()].toSorted((a, b) => b.max_id - a.max_id);
  }
}
