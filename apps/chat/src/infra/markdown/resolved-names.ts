/** A file that was uploaded here and can be shown in its place. */
export type UploadedMedia =
  | {
      readonly kind: 'image';
      /** Path of a thumbnail on this server. */
      readonly thumbnailUrl: string;
      readonly width: number;
      readonly height: number;
      /** Content type of the original. */
      readonly contentType: string;
    }
  | { readonly kind: 'video' }
  | { readonly kind: 'audio' };

/** Objects that the names in a message refer to, as far as its author may know of them. */
export interface ResolvedNames {
  /** Users by full name, and by id as `|7` if the mention has one. Deactivated users are mentioned silently. */
  readonly users: ReadonlyMap<string, { readonly id: number; readonly fullName: string; readonly isActive?: boolean }>;
  /** Groups by name. */
  readonly groups: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /** Channels by normalized name. */
  readonly channels: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /** Message of each topic by {@link topicKeyOf}, by which links follow moves. */
  readonly topics: ReadonlyMap<string, { readonly messageId: number }>;
  /** True if the author's emoticons are translated. */
  readonly translatesEmoticons: boolean;
  /** Uploaded files by path. */
  readonly uploads: ReadonlyMap<string, UploadedMedia>;
}

/** Names that need no database. */
export const noNames: ResolvedNames = {
  users: new Map(),
  groups: new Map(),
  channels: new Map(),
  topics: new Map(),
  translatesEmoticons: false,
  uploads: new Map(),
};

/** The key of a topic in {@link ResolvedNames.topics}. */
export function topicKeyOf(channelId: number, comparedTopic: string): string {
  return `${channelId} ${comparedTopic}`;
}
