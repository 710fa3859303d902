import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Kinds of images of a realm; `night_logo` is the logo for dark themes. */
export const realmImageKinds = ['icon', 'logo', 'night_logo'] as const;

export type RealmImageKind = (typeof realmImageKinds)[number];

const storedRealmImageSchema = z
  .object({
    /** Random part of an uploaded image's file name; null for the default image. */
    key: z.string().nullable(),
    /**
     * Version number of the realm's image, which is 1 plus the number of its changes. The image URL contains the
     * version, so that clients load a changed image.
     */
    version: z.int(),
  })
  .default({ key: null, version: 1 });

/** Schema of the column `realms.images`, which stores the icon and logos of a realm. */
export const realmImagesSchema = z.object({
  icon: storedRealmImageSchema,
  logo: storedRealmImageSchema,
  night_logo: storedRealmImageSchema,
});

export type RealmImages = z.output<typeof realmImagesSchema>;

/** Id and name of a realm, with its images. */
export interface RealmWithImages {
  readonly id: number;
  readonly stringId: string;
  readonly images: RealmImages;
}

const realmImageFolders: Readonly<Record<RealmImageKind, string>> = {
  icon: 'realm/icon',
  logo: 'realm/logo',
  night_logo: 'realm/nightlogo',
};

/** Returns the URL path of an uploaded image below /user_avatars/. */
export function getRealmImageUrlPath(realmId: number, kind: RealmImageKind, key: string): string {
  return `${realmId}/${realmImageFolders[kind]}/${key}.png`;
}

/** Returns the URL of an image of a realm. Without an upload, the icon is an identicon that Gravatar generates. */
export function getRealmImageUrl({ id, stringId, images }: RealmWithImages, kind: RealmImageKind): string {
  const { key, version } = images[kind];
  if (key !== null) return `/user_avatars/${getRealmImageUrlPath(id, kind, key)}?version=${version}`;
  if (kind !== 'icon') return `/static/images/logo/${kind === 'logo' ? 'logo' : 'logo-night'}.svg`;
  const hash = createHash('md5').update(stringId).digest('hex');
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=${version}`;
}

/** Returns the URL and source of a realm's image, by API field names such as `icon_url` and `icon_source`. */
export function getRealmImageApiFields(realm: RealmWithImages, kind: RealmImageKind): Record<string, string> {
  const defaultSource = kind === 'icon' ? 'G' : 'D';
  return {
    [`${kind}_url`]: getRealmImageUrl(realm, kind),
    [`${kind}_source`]: realm.images[kind].key === null ? defaultSource : 'U',
  };
}
