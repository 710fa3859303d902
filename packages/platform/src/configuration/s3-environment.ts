import { z } from 'zod';

/** Texts for the descriptions of the variables that {@link createS3EnvironmentVariables} returns. */
export interface S3EnvironmentDescription {
  /** Files in the bucket, such as `uploaded files`. */
  readonly files: string;
  /** Variable with the folder that contains the files if there is no bucket, such as `UPLOADS_DIR`. */
  readonly folderVariable: string;
}

/** Returns the environment variables that configure the bucket of a service in an S3-compatible store. */
export function createS3EnvironmentVariables({ files, folderVariable }: S3EnvironmentDescription) {
  return {
    S3_BUCKET: z
      .string()
      .optional()
      .meta({
        description: `Bucket of ${files} in an S3-compatible store. Without a bucket, the files are in \`${folderVariable}\`. Configure a lifecycle rule that aborts incomplete multipart uploads`,
      }),
    S3_ENDPOINT: z
      .url({ protocol: /^https?$/ })
      .default('https://s3.us-east-1.amazonaws.com')
      .transform((url) => url.replace(/\/+$/, ''))
      .meta({ description: 'URL of the S3-compatible store' }),
    S3_REGION: z
      .string()
      .default('us-east-1')
      .meta({ description: 'Region in the signatures of requests to the store' }),
    S3_ACCESS_KEY_ID: z.string().default('').meta({ description: 'Id of the access key for the store' }),
    S3_SECRET_ACCESS_KEY: z.string().default('').meta({ description: 'Secret access key for the store', secret: true }),
  };
}
