import { S3Bucket } from './s3-bucket.js';

/** Values of the environment variables that configure a bucket of a service. */
export interface S3EnvironmentValues {
  /** Name of the bucket; undefined if the service stores its files in a folder. */
  readonly S3_BUCKET?: string | undefined;
  /** Scheme, host and port of the S3 store. */
  readonly S3_ENDPOINT: string;
  readonly S3_REGION: string;
  readonly S3_ACCESS_KEY_ID: string;
  readonly S3_SECRET_ACCESS_KEY: string;
}

/**
 * Returns the client of the configured S3 bucket, or null if no bucket is configured. Opens no connection.
 *
 * @param now function that returns the time for the signatures of requests, in milliseconds since 1970
 */
export function openConfiguredS3Bucket(values: S3EnvironmentValues, now: () => number): S3Bucket | null {
  if (values.S3_BUCKET === undefined) return null;
  return new S3Bucket({
    endpoint: values.S3_ENDPOINT,
    region: values.S3_REGION,
    bucket: values.S3_BUCKET,
    accessKeyId: values.S3_ACCESS_KEY_ID,
    secretAccessKey: values.S3_SECRET_ACCESS_KEY,
    now,
  });
}
