import type { DatabaseSizeName } from '../scale-app.js';

/** Numbers of users, channels and messages that are generated for one database size of the chat service. */
export interface GeneratedChatSize {
  readonly people: number;
  readonly channels: number;
  readonly messages: number;
  /** Number of messages in the longest generated topic. */
  readonly longTopic: number;
  /** Number of messages in each generated topic that an operation moves or deletes. */
  readonly movedTopic: number;
  /** Number of topics in the generated channel with the most topics. */
  readonly topics: number;
  /** Number of channel subscriptions of the generated member with the most subscriptions. */
  readonly manyChannels: number;
  /** Number of messages in the channel to which all generated users subscribe. */
  readonly messagesToAll: number;
  /** Number of generated users who have recently sent requests. */
  readonly activePeople: number;
}

export const generatedChatSizes: Readonly<Record<DatabaseSizeName, GeneratedChatSize>> = {
  small: {
    people: 300,
    channels: 100,
    messages: 10_000,
    longTopic: 2_000,
    movedTopic: 200,
    topics: 100,
    manyChannels: 75,
    messagesToAll: 5,
    activePeople: 100,
  },
  middle: {
    people: 2_000,
    channels: 2_000,
    messages: 500_000,
    longTopic: 100_000,
    movedTopic: 10_000,
    topics: 2_000,
    manyChannels: 1_500,
    messagesToAll: 20,
    activePeople: 300,
  },
  large: {
    people: 20_000,
    channels: 2_000,
    messages: 5_000_000,
    longTopic: 1_000_000,
    movedTopic: 100_000,
    topics: 20_000,
    manyChannels: 1_500,
    messagesToAll: 50,
    activePeople: 1_000,
  },
};
