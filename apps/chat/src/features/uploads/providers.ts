import type { Provider } from '@nestjs/common';
import type { ChatRuntime } from '../../app/runtime.js';
import { FileLedger } from '../../infra/storage/index.js';
import { FILE_STORAGE, PICTURES, SECRETS } from '../../tokens.js';
import { ManageAttachments } from '../../core/attachments/index.js';
import { ReadFiles } from './read-files.query.js';
import { Thumbnails } from './thumbnails.js';
import { UploadFile } from './upload-file.action.js';

/** Returns the Nest providers of this module for one process's storage. */
export function fileProviders({
  files,
  pictures,
  secrets,
}: Pick<ChatRuntime, 'files' | 'pictures' | 'secrets'>): Provider[] {
  return [
    { provide: FILE_STORAGE, useValue: files.storage },
    { provide: PICTURES, useValue: pictures },
    { provide: SECRETS, useValue: secrets },
    FileLedger,
    ManageAttachments,
    ReadFiles,
    Thumbnails,
    UploadFile,
  ];
}
