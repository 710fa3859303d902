import { z } from 'zod';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';

/** Snapshot part of the key with which clients search GIPHY. Empty without a configured key. */
export const giphySnapshotPart = defineSnapshotPart({
  types: ['giphy'],
  shape: { giphy_api_key: z.string() },
  read: ({ config }) => ({ giphy_api_key: config.GIPHY_API_KEY }),
});

/** Snapshot part of the key with which clients search Tenor. Empty without a configured key. */
export const tenorSnapshotPart = defineSnapshotPart({
  types: ['tenor'],
  shape: { tenor_api_key: z.string() },
  read: ({ config }) => ({ tenor_api_key: config.TENOR_API_KEY }),
});
