import { z } from 'zod';

/** Where uploaded files are kept, in the environment. */
export const storageEnv = {
  UPLOADS_DIR: z
    .string()
    .default('.data/chat-files')
    .meta({ description: 'Folder of uploaded files; several processes need one that all of them see' }),
  S3_BUCKET: z
    .string()
    .optional()
    .meta({
      description:
        'Bucket of uploaded files, in any S3-compatible store; they are in `UPLOADS_DIR` when absent. ' +
        'Let a lifecycle rule of it abort incomplete multipart uploads: a process that dies may leave one',
    }),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .default('https://s3.us-east-1.amazonaws.com')
    .transform((url) => url.replace(/\/+$/, ''))
    .meta({ description: 'Address of the store' }),
  S3_REGION: z.string().default('us-east-1').meta({ description: 'Region that requests to the store are signed for' }),
  S3_ACCESS_KEY_ID: z.string().default('').meta({ description: 'Id of the key that signs requests to the store' }),
  S3_SECRET_ACCESS_KEY: z.string().default('').meta({ description: 'The key that signs them', secret: true }),
};
