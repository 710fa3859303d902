import { z } from 'zod';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';

/**
 * Part of the POST /register response with the API key for client searches in GIPHY. The key is empty if the operator
 * has not configured it.
 */
export const giphySnapshotPart = defineSnapshotPart({
  types: ['giphy'],
  shape: { giphy_api_key: z.string() },
  read: ({ config }) => ({ giphy_api_key: config.GIPHY_API_KEY }),
});

/**
 * Part of the POST /register response with the API key for client searches in Tenor. The key is empty if the operator
 * has not configured it.
 */
export const tenorSnapshotPart = defineSnapshotPart({
  types: ['tenor'],
  shape: { tenor_api_key: z.string() },
  read: ({ config }) => ({ tenor_api_key: config.TENOR_API_KEY }),
});
