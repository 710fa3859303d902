/** A file that was uploaded here and can be shown in its place. */
export type UploadedMedia =
  | {
      readonly kind: 'image';
      /** Of a smaller version, as a path of this server. */
      readonly thumbnailUrl: string;
      readonly width: number;
      readonly height: number;
      /** Of the original. */
      readonly contentType: string;
    }
  | { readonly kind: 'video' }
  | { readonly kind: 'audio' };

/** Objects that the names in a message refer to, as far as its author may know of them. */
export interface ResolvedNames {
  /** Users by full name, and by id as `|7` if the mention has one. Deactivated users are mentioned silently. */
  readonly users: ReadonlyMap<string, { readonly id: number; readonly fullName: string; readonly isActive?: boolean }>;
  /** By name. */
  readonly groups: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /** By name as it is compared. */
  readonly channels: ReadonlyMap<string, { readonly id: number; readonly name: string }>;
  /** By {@link topicKeyOf}: a message by which the topic is found wherever it may move. */
  readonly topics: ReadonlyMap<string, { readonly messageId: number }>;
  /** Whether the author has emoticons translated. */
  readonly translatesEmoticons: boolean;
  /** By path. */
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
