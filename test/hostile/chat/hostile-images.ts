import type { HostileSubject } from '../hostile-request.js';
import { numbers, send } from './list-hostile-calls.js';
import { upload } from './hostile-files.js';
import { blackPng, gifOf, pngHeader } from './image-files.js';
import { adminCall, linkOf, uploadedPath } from './calls-with-preparation.js';

const gifUpload = { name: 'a.gif', contentType: 'image/gif' };
const pngUpload = { name: 'a.png', contentType: 'image/png' };

/** Hostile requests to chat with small image files that have many pixels or frames. */
export const images: HostileSubject = {
  subject: 'images',
  requests: [
    {
      title: 'eight GIF emoji of 20,000 frames in 460 KB, with a concurrent password login',
      statuses: [200, 400],
      calls: () => [
        ...numbers(8).map((id) => upload(`realm/emoji/frames${id}`, { ...gifUpload, content: gifOf(20_000, 40, 40) })),
        send('POST', 'fetch_api_key', { username: 'cordelia@example.com', password: 'switchboard-demo' }),
      ],
    },
    {
      title: 'a GIF emoji whose 400 frames have 4 million pixels each',
      statuses: [400],
      calls: () => [upload('realm/emoji/canvas', { ...gifUpload, content: gifOf(400, 2_000, 2_000) })],
    },
    {
      title: 'a PNG emoji whose header states 100,000 by 100,000 pixels',
      statuses: [400],
      calls: () => [upload('realm/emoji/bomb', { ...pngUpload, content: pngHeader(100_000, 100_000) })],
    },
    {
      title: 'an avatar that is a million pixels wide and one high',
      statuses: [200, 400],
      calls: () => [upload('users/me/avatar', { ...pngUpload, content: blackPng(1_000_000, 1) })],
    },
    {
      title: 'an avatar that is one pixel wide and a million high',
      statuses: [200, 400],
      calls: () => [upload('users/me/avatar', { ...pngUpload, content: blackPng(1, 1_000_000) })],
    },
    {
      title: 'an avatar of 25 million black pixels in some kilobytes',
      statuses: [200, 400],
      calls: () => [upload('users/me/avatar', { ...pngUpload, content: blackPng(5_000, 5_000) })],
    },
    {
      title: 'twelve concurrent avatars of 9 million pixels',
      statuses: [200, 400],
      calls: () => numbers(12).map(() => upload('users/me/avatar', { ...pngUpload, content: blackPng(3_000, 3_000) })),
    },
    {
      title: 'a PNG emoji whose chunks end in the middle',
      statuses: [400],
      calls: () => [upload('realm/emoji/broken', { ...pngUpload, content: blackPng(4_000, 4_000).subarray(0, 200) })],
    },
    {
      title: 'an SVG emoji whose entities expand to gigabytes',
      statuses: [400],
      calls: () => [upload('realm/emoji/laughs', { ...pngUpload, content: expandingSvg() })],
    },
    {
      title: 'the thumbnail of one picture for 200 concurrent viewers',
      statuses: [200],
      calls: async (session) => {
        const path = await uploadedPath(session, { ...pngUpload, content: blackPng(4_000, 4_000) });
        return numbers(200).map(() => linkOf(`/user_uploads/thumbnail/${path}/840x560.webp`));
      },
    },
    {
      title: 'concurrent thumbnails of ten pictures',
      statuses: [200],
      calls: async (session) => {
        const file = { ...pngUpload, content: blackPng(2_000, 2_000) };
        const paths = await Promise.all(numbers(10).map(() => uploadedPath(session, file)));
        return paths.map((path) => linkOf(`/user_uploads/thumbnail/${path}/840x560.webp`));
      },
    },
    {
      title: 'an emoji upload of two pictures by an administrator',
      statuses: [400],
      calls: async (session) => {
        const file = { ...pngUpload, content: blackPng(100, 100) };
        return [await adminCall(session, upload('realm/emoji/twins', file, file))];
      },
    },
  ],
};

function expandingSvg(): string {
  const entities = numbers(10).map((id) => `<!ENTITY l${id} "${`&l${id - 1};`.repeat(10)}">`);
  const declared = `<!DOCTYPE svg [<!ENTITY l0 "lol">${entities.join('')}]>`;
  return `<?xml version="1.0"?>${declared}<svg xmlns="http://www.w3.org/2000/svg"><text>&l10;</text></svg>`;
}
