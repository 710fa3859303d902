import type { SizeName } from '../app.js';

/** The amounts of one size. */
export interface ChatSize {
  readonly people: number;
  readonly channels: number;
  readonly messages: number;
  /** Messages of one topic, and of each of the topics that are moved and deleted. */
  readonly longTopic: number;
  readonly movedTopic: number;
  /** Topics of the channel with the most. */
  readonly topics: number;
  /** Channels of the member with the most. */
  readonly manyChannels: number;
  /** Messages to the channel to which all users subscribe. */
  readonly messagesToAll: number;
  /** Users with a request in recent days. */
  readonly activePeople: number;
}

export const chatSizes: Readonly<Record<SizeName, ChatSize>> = {
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
