import type { Provider } from '@nestjs/common';
import type { SecretTextEncryptor } from '@switchboard/auth';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { StoredFileDeletionSchedule, type OpenedFileStorage } from '../../infra/storage/index.js';
import { FILE_STORAGE_TOKEN, IMAGE_PROCESSOR_TOKEN, SECRET_BOX_TOKEN } from '../../tokens.js';
import { AttachmentsService } from '../../core/attachments/index.js';
import { ReadUploadedFiles } from './read-files.query.js';
import { ThumbnailService } from './thumbnails.js';
import { UploadFile } from './upload-file.action.js';

/** Objects of the server process that {@link createUploadedFileProviders} depends on. */
export interface UploadedFileProvidersDependencies {
  readonly files: Pick<OpenedFileStorage, 'storage'>;
  readonly pictures: ImageProcessor;
  readonly secrets: SecretTextEncryptor;
}

/** Returns the Nest providers with which modules store and serve uploaded files. */
export function createUploadedFileProviders({
  files,
  pictures,
  secrets,
}: UploadedFileProvidersDependencies): Provider[] {
  return [
    { provide: FILE_STORAGE_TOKEN, useValue: files.storage },
    { provide: IMAGE_PROCESSOR_TOKEN, useValue: pictures },
    { provide: SECRET_BOX_TOKEN, useValue: secrets },
    StoredFileDeletionSchedule,
    AttachmentsService,
    ReadUploadedFiles,
    ThumbnailService,
    UploadFile,
  ];
}
