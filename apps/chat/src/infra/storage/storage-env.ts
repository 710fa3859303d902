import { createS3EnvironmentVariables } from '@switchboard/platform';
import { z } from 'zod';

/** Environment variables that configure the storage of uploaded files. */
export const fileStorageEnvironmentVariables = {
  UPLOADS_DIR: z
    .string()
    .default('.data/chat-files')
    .meta({ description: 'Folder of uploaded files; all processes need the same one' }),
  ...createS3EnvironmentVariables({ files: 'uploaded files', folderVariable: 'UPLOADS_DIR' }),
};
