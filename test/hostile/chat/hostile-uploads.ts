import type { HostileSubject } from '../hostile-request.js';
import { numbers } from './list-hostile-calls.js';
import { fieldOf, multipart, partOf, upload } from './hostile-files.js';
import { linkOf, uploadedPath } from './calls-with-preparation.js';

const text = { name: 'a.txt', contentType: 'text/plain' };

/** Hostile requests to chat whose multipart forms are costly to parse. */
export const uploads: HostileSubject = {
  subject: 'uploads',
  requests: [
    {
      title: 'a file larger than the limit by some megabytes',
      statuses: [400],
      calls: () => [upload('user_uploads', { ...text, content: Buffer.alloc(30 * 1024 * 1024) })],
    },
    {
      title: 'a form that ends in the middle of its file',
      statuses: [400],
      calls: () => [multipart('user_uploads', [partOf({ ...text, content: 'half of a file' }).subarray(0, 150)])],
    },
    {
      title: 'a form of 1,500 fields before its file',
      statuses: [200, 400],
      calls: () => [
        multipart('user_uploads', [
          ...numbers(1_500).map((id) => fieldOf(`field${id}`, 'x')),
          partOf({ ...text, content: 'x' }),
        ]),
      ],
    },
    {
      title: 'a form with one field of two megabytes in place of a file',
      statuses: [400],
      calls: () => [multipart('user_uploads', [fieldOf('field', 'x'.repeat(2_000_000))])],
    },
    {
      title: 'a file whose name has 50,000 characters',
      statuses: [200, 400],
      calls: () => [upload('user_uploads', { ...text, name: `${'x'.repeat(50_000)}.txt`, content: 'x' })],
    },
    {
      title: 'a file whose name contains ../ a thousand times',
      statuses: [200, 400],
      calls: () => [upload('user_uploads', { ...text, name: `${'../'.repeat(1_000)}etc/passwd`, content: 'x' })],
    },
    {
      title: 'forty concurrent uploads of small files',
      statuses: [200],
      calls: () => numbers(40).map((id) => upload('user_uploads', { ...text, name: `${id}.txt`, content: 'x' })),
    },
    {
      title: 'a file that forty clients request in 1,500 ranges each',
      statuses: [200, 206, 416],
      calls: async (session) => {
        const path = await uploadedPath(session, { ...text, content: 'x'.repeat(100_000) });
        const range = `bytes=${numbers(1_500)
          .map((id) => `${id}-${id}`)
          .join(',')}`;
        return numbers(40).map(() => ({ ...linkOf(`/user_uploads/${path}`), headers: { range } }));
      },
    },
    {
      title: 'a text that claims to be a picture of a new format',
      statuses: [200, 400],
      calls: () => [
        upload('user_uploads', { name: 'a.avif', contentType: 'image/avif', content: 'x'.repeat(1_000_000) }),
      ],
    },
  ],
};
