import type { Provider } from '@nestjs/common';
import type { SecretBox } from '@switchboard/auth';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { StoredFileLedger, type OpenedStorage } from '../../infra/storage/index.js';
import { FILE_STORAGE, PICTURES, SECRET_BOX } from '../../tokens.js';
import { AttachmentsService } from '../../core/attachments/index.js';
import { ReadFiles } from './read-files.query.js';
import { ThumbnailService } from './thumbnails.js';
import { UploadFile } from './upload-file.action.js';

/** Objects of the server process that {@link fileProviders} depends on. */
export interface FileProviderDependencies {
  readonly files: Pick<OpenedStorage, 'storage'>;
  readonly pictures: ImageProcessor;
  readonly secrets: SecretBox;
}

/** Returns the Nest providers with which modules store and serve uploaded files. */
export function fileProviders({ files, pictures, secrets }: FileProviderDependencies): Provider[] {
  return [
    { provide: FILE_STORAGE, useValue: files.storage },
    { provide: PICTURES, useValue: pictures },
    { provide: SECRET_BOX, useValue: secrets },
    StoredFileLedger,
    AttachmentsService,
    ReadFiles,
    ThumbnailService,
    UploadFile,
  ];
}
