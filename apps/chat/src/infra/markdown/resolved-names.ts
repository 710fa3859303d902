/** An uploaded file that can be shown inline. */
export type UploadedMedia =
  | {
      readonly kind: 'image';
      /** Path of a thumbnail on this server. */
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
  /** Groups by name. */
  readonly groups: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /** Channels by normalized name. */
  readonly channels: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /** A message of each topic by {@link topicKeyOf}, so that links follow moved topics. */
  readonly topics: ReadonlyMap<string, { readonly messageId: number }>;
  /** True if the author's setting translates emoticons to emoji. */
  readonly translatesEmoticons: boolean;
  /** Uploaded files by path. */
  readonly uploads: ReadonlyMap<string, UploadedMedia>;
}

/** Resolved names for texts without a database lookup: all are empty. */
export const noNames: ResolvedNames = {
  users: new Map(),
  groups: new Map(),
  channels: new Map(),
  topics: new Map(),
  translatesEmoticons: false,
  uploads: new Map(),
};

/** Returns the key of a topic in {@link ResolvedNames.topics}. */
export function topicKeyOf(channelId: number, comparedTopic: string): string {
  return `${channelId} ${comparedTopic}`;
}
