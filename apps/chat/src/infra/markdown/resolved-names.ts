/** An uploaded image, video or sound that a message can show inline or as a preview. */
export type UploadedMedia =
  | {
      readonly kind: 'image';
      /** URL path of the uploaded image's thumbnail on this server. */
      readonly thumbnailUrl: string;
      readonly width: number;
      readonly height: number;
      /** Content type of the original uploaded file. */
      readonly contentType: string;
    }
  | { readonly kind: 'video' }
  | { readonly kind: 'audio' };

/** Objects to which the names in a message refer. Only objects that the author of the message can see are included. */
export interface ResolvedMessageReferences {
  /**
   * Users that the message mentions, by full name, or by id written as `|7` if the mention contains an id. Deactivated
   * users are mentioned silently.
   */
  readonly users: ReadonlyMap<string, { readonly id: number; readonly fullName: string; readonly isActive?: boolean }>;
  /** User groups that the message mentions, by name. */
  readonly groups: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /** Channels to which the message links, by normalized channel name. */
  readonly channels: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /**
   * Id of one message in each linked topic, by {@link createTopicKey}. Links contain the message id, so that the links
   * still work after the topic is moved.
   */
  readonly topics: ReadonlyMap<string, { readonly messageId: number }>;
  /** True if the author's setting converts emoticons to emoji. */
  readonly translatesEmoticons: boolean;
  /** Uploaded files to which the message links, by path. */
  readonly uploads: ReadonlyMap<string, UploadedMedia>;
}

/** Empty {@link ResolvedMessageReferences}, for texts that are rendered without a database lookup. */
export const emptyResolvedMessageReferences: ResolvedMessageReferences = {
  users: new Map(),
  groups: new Map(),
  channels: new Map(),
  topics: new Map(),
  translatesEmoticons: false,
  uploads: new Map(),
};

/** Returns the key of a topic in {@link ResolvedMessageReferences.topics}. */
export function createTopicKey(channelId: number, comparedTopic: string): string {
  return `${channelId} ${comparedTopic}`;
}
