import { z } from 'zod';

/** Environment variables that configure the storage of uploaded files. */
export const fileStorageEnvironmentVariables = {
  UPLOADS_DIR: z
    .string()
    .default('.data/chat-files')
    .meta({ description: 'Folder of uploaded files; all processes need the same one' }),
  S3_BUCKET: z.string().optional().meta({
    description:
      'Bucket of uploaded files in an S3-compatible store; without it they are in `UPLOADS_DIR`. Configure a lifecycle rule that aborts incomplete multipart uploads',
  }),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .default('https://s3.us-east-1.amazonaws.com')
    .transform((url) => url.replace(/\/+$/, ''))
    .meta({ description: 'URL of the S3-compatible store' }),
  S3_REGION: z.string().default('us-east-1').meta({ description: 'Region in the signatures of requests to the store' }),
  S3_ACCESS_KEY_ID: z.string().default('').meta({ description: 'Id of the access key for the store' }),
  S3_SECRET_ACCESS_KEY: z.string().default('').meta({ description: 'Secret access key for the store', secret: true }),
};
