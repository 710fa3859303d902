/** An uploaded file that can be shown inline. */
export type UploadedMedia =
  | {
      readonly kind: 'image';
      /** URL path of the file's thumbnail on this server. */
      readonly thumbnailUrl: string;
      readonly width: number;
      readonly height: number;
      /** Content type of the original file. */
      readonly contentType: string;
    }
  | { readonly kind: 'video' }
  | { readonly kind: 'audio' };

/** Objects that the names in a message refer to, as far as its author can see them. */
export interface ResolvedNames {
  /** Users by full name, and by id as `|7` if the mention has one. Deactivated users are mentioned silently. */
  readonly users: ReadonlyMap<string, { readonly id: number; readonly fullName: string; readonly isActive?: boolean }>;
  /** User groups that the message mentions, by name. */
  readonly groups: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /** Channels that the message links, by normalized name. */
  readonly channels: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /**
   * Id of one message in each linked topic, by {@link createTopicKey}. Links contain this id, so that they follow a moved
   * topic.
   */
  readonly topics: ReadonlyMap<string, { readonly messageId: number }>;
  /** True if the author's setting translates emoticons to emoji. */
  readonly translatesEmoticons: boolean;
  /** Uploaded files that the message links, by path. */
  readonly uploads: ReadonlyMap<string, UploadedMedia>;
}

/** {@link ResolvedNames} without entries, for texts that are rendered without a database lookup. */
export const emptyResolvedNames: ResolvedNames = {
  users: new Map(),
  groups: new Map(),
  channels: new Map(),
  topics: new Map(),
  translatesEmoticons: false,
  uploads: new Map(),
};

/** Returns the key of a topic in {@link ResolvedNames.topics}. */
export function createTopicKey(channelId: number, comparedTopic: string): string {
  return `${channelId} ${comparedTopic}`;
}
