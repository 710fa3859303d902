import { z } from 'zod';

/** Map from the names of export types to the numbers in the API. */
export const exportTypeNumbers = { public: 1, consenting: 2 } as const;

/** Schema of an export in the API (docs/contract/chat.md 2.A). Times are UNIX seconds with a fraction. */
export const wireExportSchema = z
  .strictObject({
    id: z.int(),
    acting_user_id: z.int().meta({ description: 'User who requested the export' }),
    export_time: z.number().meta({ description: 'Time of the request' }),
    deleted_timestamp: z.number().nullable(),
    failed_timestamp: z.number().nullable(),
    export_url: z.string().nullable().meta({
      description:
        'Link to the archive for the requester. It works for 7 days without credentials, while the requester is an administrator. Null without an archive',
    }),
    pending: z.boolean(),
    export_type: z.int().meta({ description: '1: public data, 2: also private data of consenting users' }),
  })
  .meta({ id: 'RealmExport' });

export type WireExport = z.infer<typeof wireExportSchema>;

/** Placeholder text for the token in a download link that is not yet addressed to one user. */
export const missingTokenPlaceholder = '-';

const tokenPlaceholderPattern = /(?<=\/user_uploads\/exports\/)[^/]*/;

/**
 * Returns copies of exports whose download links contain the tokens of one user. Replaces
 * {@link missingTokenPlaceholder} or the tokens of another user.
 */
export function insertDownloadTokens(
  exports: readonly WireExport[],
  tokenOf: (exportId: number) => string,
): WireExport[] {
  return exports.map((one) => {
    const url = one.export_url?.replace(tokenPlaceholderPattern, () => tokenOf(one.id)) ?? null;
    return { ...one, export_url: url };
  });
}
