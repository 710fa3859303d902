import type { StoredObject } from '../destination.js';

/** A webhook as stored; its secrets are sealed. */
export interface StoredWebhook extends StoredObject {
  readonly payloadUrl: string;
  readonly httpMethod: string;
  readonly httpContentType: string;
  readonly additionalHeaders: string;
  readonly bodyTemplate: string;
  readonly secret: string;
  /** Secrets that were replaced, newest first: sealed, and when each was replaced, in milliseconds since 1970. */
  readonly formerSecrets: readonly { readonly secret: string; readonly rotated: number }[];
  readonly sslVerification: boolean;
  readonly caFilePath: string | null;
}
